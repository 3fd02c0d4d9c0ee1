/** A module beside this one, compiled (to ESM, also beside CommonJS) or as source. */
const beside = (name: string) =>
  new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** The explaining process, and the thread that it starts. */
export const processFile = beside('explain-process');
export const threadFile = beside('explain-thread');

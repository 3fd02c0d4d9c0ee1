/** A module beside this one, compiled or as source. */
const beside = (name: string) =>
  new URL(`./${name}${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

/** The explaining process, and the thread that it starts. */
export const processFile = beside('explain-process');
export const threadFile = beside('explain-thread');

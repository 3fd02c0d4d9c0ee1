/** Modules beside this one, built or as they were written. */
const beside = (name: string) =>
  new URL(`./${name}${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

/** The process that explains, and the thread that it starts. */
export const processFile = beside('explain-process');
export const threadFile = beside('explain-thread');

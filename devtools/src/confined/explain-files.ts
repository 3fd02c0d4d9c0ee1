/** The path of the thread's module: compiled to ESM (also next to CommonJS), or source. */
export const threadFile = new URL(
  `./explain-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

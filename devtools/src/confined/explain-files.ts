/** The thread's module beside this one, compiled (to ESM, also beside CommonJS) or as source. */
export const threadFile = new URL(
  `./explain-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

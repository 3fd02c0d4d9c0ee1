/** Ways in which a handler fails; its message is for nobody outside. */
export const FAILURES: readonly (readonly [title: string, fail: () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('secret of the database');
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret of the database'))],
  ['rejects with no error', () => Promise.reject(undefined)],
];

/** Every status that the library may answer with. */
export const STATUSES: readonly number[] = [200, 400, 403, 405, 413, 415, 422, 500, 503];

/** What an answer may carry besides its status: names that the hosts set, and the two of the library. */
export const HARMLESS_HEADERS =
  /^(allow|retry-after|connection|keep-alive|date|content-length|content-type|transfer-encoding|x-powered-by)$/;

/** The value of Retry-After. */
export const RETRY_AFTER = /^[1-9][0-9]*$/;

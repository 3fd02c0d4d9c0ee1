const CAUGHT = 'The TypeError of the call goes the way of any other failure there, and has the same effect.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/receiver/reporter.ts': {
    [CAUGHT]: [
      'notify(() => onError(error, context));',
      "verified: (items: number) => notify(() => logger.info({ items }, 'Delivery verified.')),",
    ],
  },
};

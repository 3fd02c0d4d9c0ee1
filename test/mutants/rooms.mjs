/** What is mutated, room by room, and the tests that must see it: the room's, as fast as they are. */
export const ROOMS = {
  signature: {
    mutate: ['src/signature/**/*.ts'],
    tests: ['test/signature/**/*.test.ts'],
  },
  events: {
    mutate: ['src/events/**/*.ts', '!src/events/types.ts'],
    tests: ['test/events/**/*.test.ts'],
    // The first compares the file with what the generator makes: every mutant would fail it. The second nests a million
    // levels: nesting.test.ts sees what it sees, in a hundredth of the time.
    except: ['test/events/generated-text.test.ts', 'test/events/nesting.limits.test.ts'],
  },
  receiver: {
    mutate: ['src/receiver/**/*.ts'],
    tests: ['test/receiver/**/*.test.ts'],
  },
  stores: {
    mutate: ['src/stores/*.ts'],
    tests: ['test/stores/*.test.ts'],
  },
  sql: {
    mutate: ['src/stores/sql/*.ts'],
    tests: ['test/stores/sql/**/*.test.ts'],
  },
  evm: {
    mutate: ['src/evm/**/*.ts'],
    tests: ['test/evm/**/*.test.ts'],
  },
};

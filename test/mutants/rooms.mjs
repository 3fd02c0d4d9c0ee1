/** What is mutated, room by room, and the tests that must see it: the room's, as fast as they are. */
export const ROOMS = {
  signature: {
    mutate: ['src/signature/**/*.ts'],
    tests: ['test/signature/**/*.test.ts'],
  },
  events: {
    mutate: ['src/events/**/*.ts', '!src/events/types.ts'],
    tests: ['test/events/**/*.test.ts'],
    // Compares the file with what the generator makes: every mutant would fail it.
    except: ['test/events/generated-checks.test.ts'],
  },
  receiver: {
    mutate: ['src/receiver/**/*.ts'],
    tests: ['test/receiver/**/*.test.ts'],
    // Slow, and what they kill the others kill.
    except: ['test/receiver/finality.property.test.ts', 'test/receiver/on-events.property.test.ts'],
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

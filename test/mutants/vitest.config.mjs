import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.js';
import { ROOMS } from './rooms.mjs';

const { tests, except = [], skip, setup = [], instead = {}, isolate = false } = ROOMS[process.env.MUTANTS_ROOM];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const alias = Object.entries(instead).map(([find, path]) => ({
  find: new RegExp(`^${find}$`),
  replacement: here(path),
}));

/** In the order of the room: the first test that fails ends the run. */
class InOrder extends BaseSequencer {
  async sort(files) {
    const indexOf = ({ moduleId }) => tests.findIndex((test) => moduleId.endsWith(test));
    return [...files].sort((one, other) => indexOf(one) - indexOf(other));
  }
}

export default defineConfig({
  root: here('../..'),
  resolve: { alias: [...alias, ...base.resolve.alias] },
  test: {
    include: tests,
    exclude: [...except, '**/*.shared.test.ts', '**/node_modules/**'],
    // A busy machine must not fail the run without mutants.
    testTimeout: 10_000,
    sequence: { sequencer: InOrder },
    globalSetup: setup.map(here),
    setupFiles: skip ? [here('./skip.ts')] : [],
    provide: { skip: skip?.join('|') ?? '' },
    // The files of a run share a thread and its modules: several times as fast.
    isolate,
  },
});

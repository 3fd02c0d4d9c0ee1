import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { ROOMS } from './rooms.mjs';

const { tests, except = [] } = ROOMS[process.env.MUTANTS_ROOM];

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: base.resolve,
  test: {
    include: tests,
    exclude: [...except, '**/*.shared.test.ts', '**/node_modules/**'],
    // The files of a run share a thread and its modules: several times as fast.
    isolate: false,
  },
});

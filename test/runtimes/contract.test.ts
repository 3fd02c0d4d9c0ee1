import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { storeContract } from '../../src/testing/index.js';
import { type Consumer, createConsumer, projectRoot } from '../package/consumer.js';
import { runSuite, testRunners } from './contract/runners.js';
import { needsRuntimes } from './installed.js';

// The packed suite for stores, in the test runners that users have.

/** The titles of the cases, in order. */
function titlesOf(register: (test: (title: string) => void) => void): string[] {
  const titles: string[] = [];
  register((title) => titles.push(title));
  return titles;
}

const FENCED = [
  'leases: lets a run that lost its lease neither record nor free a key that another has taken over',
  'leases: records none of several keys for a run from which another has taken them over',
];
const MESSAGE =
  "A run succeeds after its lease, when another run has taken over its key: expected an error, got 'handled'. In production an event takes effect twice, and neither an error nor a log says so.";
const all = titlesOf((test) => storeContract(() => memoryStore(), { test, shared: false }));
let consumer: Consumer;

beforeAll(async () => {
  consumer = await createConsumer();
  await symlink(join(projectRoot, 'node_modules/vitest'), join(consumer.root, 'node_modules/vitest'));
}, 60_000);

afterAll(() => consumer?.remove());

for (const runner of testRunners) {
  const present = runner.program !== undefined;

  describe.skipIf(!present)(
    `storeContract in ${runner.title}${present ? '' : needsRuntimes}`,
    { timeout: 130_000 },
    () => {
      it('passes every case for right stores', async () => {
        const { exitCode, passed, others, output } = await runSuite(runner, 'rightStores', consumer.root);
        expect({ others, exitCode, output: others.length > 0 || exitCode !== 0 ? output : '' }).toEqual({
          others: [],
          exitCode: 0,
          output: '',
        });
        expect(passed.toSorted()).toEqual([...all, ...all].toSorted());
      });

      it('reports what a wrong store does in production', async () => {
        const { exitCode, passed, others, output } = await runSuite(runner, 'wrongStore', consumer.root);
        if (runner.module) expect(exitCode).not.toBe(0);
        expect(others).toEqual(FENCED);
        expect(passed).toEqual(all.filter((title) => !FENCED.includes(title)));
        expect(output).toContain(MESSAGE);
      });
    },
  );
}

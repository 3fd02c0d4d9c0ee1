import { storeContract } from 'event-webhooks/store-contract';
import { describe, it } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { useConsumer } from '../package/consumer.js';
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
const consumer = useConsumer();

// At the same time: each is a process, and some of them wait for most of their time.
describe.concurrent('storeContract', { timeout: 130_000 }, () => {
  for (const runner of testRunners) {
    const isMissing = runner.program === undefined;
    const where = `in ${runner.title}${isMissing ? needsRuntimes : ''}`;

    it.skipIf(isMissing)(`passes every case for right stores ${where}`, async ({ expect }) => {
      const { exitCode, output } = await runSuite(runner, 'rightStores', consumer.root);
      expect(exitCode, output).toBe(0);
      for (const title of all) expect(output.split(title).length - 1, title).toBeGreaterThanOrEqual(2);
    });

    it.skipIf(isMissing)(`reports what a wrong store does in production ${where}`, async ({ expect }) => {
      const { exitCode, output } = await runSuite(runner, 'wrongStore', consumer.root);
      expect(exitCode).not.toBe(0);
      for (const title of FENCED) expect(output).toContain(title);
      expect(output).toContain(MESSAGE);
    });
  }
});

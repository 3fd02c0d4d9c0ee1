import { describe, expect, it } from 'vitest';
import { type Finality, type FinalityVerdict, memoryStore } from '../../src/index.js';
import { fc } from '../fixtures/property.js';
import { event, noting, signed } from '../helpers.js';
import { DROPPED, FINAL, MOOT, REMOVED, waiting } from './scripted-finality.js';

const LOGS = 4;
const removal = (log: number) => `${log}:removed`;

/**
 * What becomes of a log. `early`: it counts as final before the re-org that takes it back, as with few confirmations.
 * `waits`: how many checks of it, or of its removal, find no answer after the re-org.
 */
const fate = fc.record({
  isFinal: fc.boolean(),
  early: fc.boolean(),
  waits: fc.array(fc.boolean(), { maxLength: 4 }),
});

const step = fc.record({
  /** The events of one delivery, in order: logs and notices that they were removed. */
  events: fc.array(fc.tuple(fc.nat(LOGS - 1), fc.boolean()), { minLength: 1, maxLength: 6 }),
  /** Whether the sender repeats the delivery before it is answered. */
  twice: fc.boolean(),
  /** For which of the next events the handler fails. */
  fails: fc.array(fc.boolean(), { maxLength: 3 }),
  /** How the finality answers. */
  node: fc.constantFrom('well', 'well', 'well', 'rejects', 'garbage'),
});

describe('finality', () => {
  it.each([false, true])(
    'lets exactly the final logs take effect, once (onEvents: %s)',
    { timeout: 60_000 },
    async (bulk) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fate, { minLength: LOGS, maxLength: LOGS }),
          fc.array(step, { maxLength: 8 }),
          fc.array(step, { maxLength: 8 }),
          async (fates, before, after) => {
            let isAfter = false;
            let node = 'well';
            let fails: boolean[] = [];
            const left = fates.map(({ waits }) => [...waits]);
            const verdictOf = (id: string): FinalityVerdict => {
              const log = Number.parseInt(id, 10);
              const { isFinal, early } = fates[log] ?? { isFinal: true, early: false };
              const isRemoval = id.endsWith(':removed');
              if (!isAfter && early && !isFinal) return isRemoval ? MOOT : FINAL;
              if (!isAfter || left[log]?.pop()) return waiting();
              if (isFinal) return isRemoval ? MOOT : FINAL;
              return isRemoval ? REMOVED : DROPPED;
            };
            const finality: Finality = {
              wait: 'redelivery',
              async check(events) {
                if (node === 'rejects') throw new Error('away');
                if (node === 'garbage') return events.slice(1).map(() => FINAL);
                return events.map(({ id }) => verdictOf(id));
              },
            };
            const effects: string[] = [];
            const work = (ids: readonly string[]) => {
              if (fails.pop()) throw new Error('the handler failed');
              effects.push(...ids);
            };
            const dropped = new Set<string>();
            const { receiver } = noting({
              finality,
              store: memoryStore(),
              idempotencyKey: ({ id }) => id,
              onDropped: ({ id }) => dropped.add(id),
              ...(bulk
                ? { onEvents: (entries) => work(entries.map((entry) => entry.event.id)) }
                : { onEvent: ({ id }) => work([id]) }),
            });
            const deliver = async (ids: readonly string[]) => receiver.handle(signed(ids.map((id) => event(id))));

            const run = async (steps: typeof before) => {
              for (const { events, twice, fails: failing, node: answering } of steps) {
                node = answering;
                fails = [...failing];
                const ids = events.map(([log, isRemoved]) => (isRemoved ? removal(log) : String(log)));
                await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => deliver(ids)));
              }
            };
            await run(before);
            isAfter = true;
            await run(after);
            // In the end everything arrives, until it is acknowledged.
            node = 'well';
            fails = [];
            for (const log of fates.keys()) {
              const { isFinal } = fates[log] as (typeof fates)[number];
              const ids = isFinal ? [String(log)] : [removal(log), String(log)];
              for (let tries = 0; (await deliver(ids)).status !== 200; tries++) expect(tries).toBeLessThan(20);
            }

            for (const [log, { isFinal, early }] of fates.entries()) {
              const count = (id: string) => effects.filter((each) => each === id).length;
              const [done, undone] = [count(String(log)), count(removal(log))];
              if (isFinal) expect([done, undone]).toEqual([1, 0]);
              else if (early) expect([done, undone, done <= 1]).toEqual([done, done, true]);
              else expect([done, undone]).toEqual([0, 0]);
              expect(dropped.has(String(log))).toBe(!isFinal);
              expect(dropped.has(removal(log))).toBe(false);
            }
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});

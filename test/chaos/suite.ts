import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../servers/postgres.js';
import { isQueued } from './chain/invariants.js';
import { openGround } from './ground.js';
import { isAcknowledged } from './log.js';
import { nameOf } from './misuse.js';
import { isModeName, lacks, type Mode, modes } from './modes.js';
import { failure, summary } from './report.js';
import { runScenario } from './scenario.js';
import { isOnWire } from './strike-wire.js';

const settings = { seed: 7, events: 120, spreadMs: 2000, kills: 4, faults: 12, misuses: 8 };
const SECONDS = 1000;
const above0 = expect.toSatisfy((count: number) => count > 0);

/** Runs the modes that `isWanted`, one after the other. */
export function describeChaos(title: string, isWanted: (mode: Mode) => boolean): void {
  const wanted = Object.keys(modes)
    .filter(isModeName)
    .filter((name) => !('byHand' in modes[name]) && isWanted(modes[name]));
  let ground: Awaited<ReturnType<typeof openGround>>;

  describe(title, () => {
    beforeAll(async () => {
      if (hasPostgres) ground = await openGround(wanted.filter((name) => !lacks(name)).map((name) => modes[name]));
    }, 60 * SECONDS);
    afterAll(async () => {
      if (hasPostgres) await ground.close();
    }, 60 * SECONDS);

    for (const name of wanted) {
      const mode: Mode = modes[name];
      const promise = mode.transactional
        ? 'exactly once'
        : 'at least once, and twice only where a death, a pause or a cut explains it';

      it.skipIf(lacks(name) !== '')(
        `${name}${lacks(name)} has every event that was sent take effect ${promise}`,
        async () => {
          // Handlers of several events meet fewer misuses each; some must be left to be settled by hand.
          const misuses = mode.atOnce ? 14 : settings.misuses;
          const outcome = await runScenario(name, { ...settings, misuses }, ground);
          const { log, counts, plan, chain } = outcome;
          console.log(summary(outcome));
          expect(log.broken, failure(outcome)).toEqual([]);
          expect(counts).toMatchObject({ missing: 0, unexplained: 0 });
          if (mode.letters) expect(outcome.deadLetters).toBeGreaterThan(0);
          if (mode.transactional) expect(counts).toMatchObject({ effects: plan.expected.length, doubles: 0 });
          if (mode.transactional && !mode.letters) {
            expect(log.ended.size).toBeGreaterThan(0);
            expect(log.settled).not.toEqual([]);
            // Of a run with several events, one at a time.
            const misuses = mode.atOnce ? [] : Object.values(plan.misuses).map(nameOf);
            expect(log.misuses).toEqual(expect.arrayContaining(misuses));
          }
          expect(log.faults.length).toBe(plan.faults.length);
          expect(new Set(log.faults.map(({ kind }) => kind))).toEqual(new Set(mode.faults));
          // That faults meet processes at their work, and not between it.
          const steps = log.faults.filter(({ kind }) => kind !== 'node').map(({ step }) => step);
          expect(steps).toEqual(expect.arrayContaining([expect.not.stringMatching('now')]));
          if (mode.finality) expect(chain).toMatchObject({ lost: above0, cursors: above0, dropped: above0 });
          if (mode.finality && !isQueued(mode)) expect(chain?.repaired).toBeGreaterThan(0);
          // A store has little to do until blocks are final: with finality, some seeds meet nothing on the wire.
          if (mode.faults.includes('cut') && !mode.finality)
            expect(log.faults.filter(({ step }) => isOnWire(mode, step))).not.toEqual([]);
          const acknowledged = new Set(log.attempts.filter(isAcknowledged).map(({ delivery }) => delivery));
          expect(acknowledged.size).toBe(plan.deliveries.length);
        },
        // A guard against what hangs: the sender limits how long nothing may be acknowledged, also on a slow machine.
        240 * SECONDS,
      );
    }
  });
}

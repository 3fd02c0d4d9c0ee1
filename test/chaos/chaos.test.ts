import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../servers/postgres.js';
import { openGround } from './ground.js';
import { checkEffects } from './invariants.js';
import { createLog, isAcknowledged, type Log, lateBy } from './log.js';
import { isModeName, isTransactional, lacks, type Mode, modes } from './modes.js';
import { makePlan } from './plan.js';
import { failure, hasPassed, killCount, replayCommand, summary } from './report.js';
import { runScenario } from './scenario.js';

const settings = { seed: 7, events: 60, spreadMs: 1500, kills: 4 };
const SECONDS = 1000;
let ground: Awaited<ReturnType<typeof openGround>>;

describe('chaos: four receivers, with processes and servers killed while events come in', () => {
  beforeAll(async () => {
    if (hasPostgres) ground = await openGround();
  }, 60 * SECONDS);
  afterAll(async () => {
    if (hasPostgres) await ground.close();
  }, 60 * SECONDS);

  for (const name of Object.keys(modes).filter(isModeName)) {
    const mode: Mode = modes[name];
    const promise = isTransactional(mode)
      ? 'exactly once'
      : 'at least once, and twice only where something died between';

    describe.skipIf(lacks(name) !== '')(`${name}${lacks(name)}`, () => {
      it(
        `has every event that was sent take effect ${promise}`,
        async () => {
          const outcome = await runScenario(name, settings, ground);
          const { log, counts, plan } = outcome;
          console.log(summary(outcome));
          expect(log.broken, failure(outcome)).toEqual([]);
          expect(counts).toMatchObject({ missing: 0, unexplained: 0 });
          if (isTransactional(mode)) expect(counts).toMatchObject({ effects: plan.events.length, doubles: 0 });
          expect(killCount(outcome)).toBe(settings.kills);
          for (const victim of ['receiver', ...mode.kills, ...(mode.engine ? ['worker'] : [])]) {
            expect(log.kills[victim]).toBeGreaterThan(0);
          }
          const acknowledged = new Set(log.attempts.filter(isAcknowledged).map(({ delivery }) => delivery));
          expect(acknowledged.size).toBe(plan.deliveries.length);
        },
        120 * SECONDS,
      );
    });
  }
});

describe('what the chaos test plans', () => {
  const mode = modes.bullmq;
  const shape = (seed: number) => {
    const { deliveries, sendings, kills } = makePlan(mode, { ...settings, seed });
    return {
      ids: deliveries.map(({ ids }) => ids),
      sendings: sendings.map(({ delivery, ...rest }) => ({ ...rest, delivery: delivery.name })),
      kills,
    };
  };

  it('follows from the seed alone', () => {
    expect(shape(1)).toEqual(shape(1));
    expect(shape(1)).not.toEqual(shape(2));
  });

  it('sends every event, every delivery twice at least, and some events in two deliveries', () => {
    const { events, deliveries, sendings } = makePlan(mode, settings);
    const sent = deliveries.flatMap(({ ids }) => ids);
    expect(new Set(sent)).toEqual(new Set(events.map(({ id }) => id)));
    expect(sent.length).toBeGreaterThan(events.length);
    expect(new Set(events.map(({ event }) => event)).size).toBe(2);
    for (const delivery of deliveries) {
      expect(sendings.filter((sending) => sending.delivery === delivery).length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('what the chaos test counts', () => {
  const run = (at: number, pid = 1) => [1, 2].map((part) => ({ id: 'a', part, pid, at }));
  const broken = (
    ids: string[],
    effects: ReturnType<typeof run>,
    isTransactional: boolean,
    deaths = createLog().deaths,
    more: Partial<Log> = {},
  ) => {
    const log = { ...createLog(), deaths, ...more };
    return { counts: checkEffects(ids, effects, isTransactional, log), what: log.broken.map(({ what }) => what) };
  };

  it('finds nothing wrong with one whole effect of each event', () => {
    expect(broken(['a'], run(1000), true)).toEqual({
      counts: { effects: 1, doubles: 0, late: 0, unexplained: 0, missing: 0 },
      what: [],
    });
  });

  it('finds an event without effect, and an effect without event', () => {
    expect(broken(['b'], run(1000), true).what).toEqual(['never took effect', 'took effect, and was never sent']);
  });

  it('finds a half effect and a double one where both are ruled out', () => {
    expect(broken(['a'], run(1000).slice(1), true).what).toEqual(['never took effect', 'took effect in part']);
    expect(broken(['a'], [...run(1000), ...run(2000)], true).what).toEqual(['took effect twice']);
  });

  it('allows a double effect elsewhere if the first process, or a server, died between, before the store had recorded it', () => {
    const twice = [...run(1000, 1), ...run(3000, 2)].filter(({ part }) => part === 1);
    const unexplained = ['took effect twice with no cause'];
    const death = { victim: 'receiver 0', pid: 1, from: 1500, to: 1500 };
    expect(broken(['a'], twice, false).what).toEqual(unexplained);
    expect(broken(['a'], twice, false, [death]).what).toEqual([]);
    expect(broken(['a'], twice, false, [death], { recorded: new Map([['a', 3100]]) }).what).toEqual([]);
    const again = ['took effect again after the store had recorded it'];
    expect(broken(['a'], twice, false, [death], { recorded: new Map([['a', 1400]]) }).what).toEqual(again);
    expect(broken(['a'], twice, false, [{ ...death, pid: 2 }]).what).toEqual(unexplained);
    expect(broken(['a'], twice, false, [{ ...death, from: 3500, to: 3500 }]).what).toEqual(unexplained);
    expect(broken(['a'], twice, false, [{ victim: 'postgres', from: 500, to: 1200 }]).what).toEqual([]);
    expect(broken(['a'], twice, false, [{ victim: 'postgres', from: 500, to: 800 }]).what).toEqual(unexplained);
  });

  it('allows and counts a double effect if the first process reported to be late for it, and no other process', () => {
    const twice = [...run(1000, 1), ...run(3000, 2)].filter(({ part }) => part === 1);
    const lateAs = (pid: number) => broken(['a'], twice, false, [], { late: new Set([lateBy('a', pid)]) });
    expect(lateAs(1)).toMatchObject({ counts: { doubles: 1, late: 1, unexplained: 0 }, what: [] });
    expect(lateAs(2)).toMatchObject({ counts: { late: 0, unexplained: 1 }, what: ['took effect twice with no cause'] });
  });

  it('prints, for a broken invariant, how to play it again and what happened to the event', () => {
    const plan = makePlan(modes.redis, { ...settings, events: 1 });
    const [delivery] = plan.deliveries;
    const [event] = plan.events;
    const log = createLog();
    if (delivery === undefined || event === undefined) throw new Error('The plan is empty.');
    log.attempts.push({ delivery, receiver: 2, from: 5000, to: 5040, outcome: 200 });
    const counts = checkEffects([event.id], [], false, log);
    const outcome = { name: 'redis', settings, plan, log, counts, effects: [], deadLetters: 0, seconds: 1 } as const;
    expect(hasPassed(outcome)).toBe(false);
    expect(failure(outcome)).toContain(replayCommand(outcome));
    expect(failure(outcome)).toMatch(new RegExp(`event ${event.id}\\n.*delivery 0 to receiver 2: 200 .*acknowledged`));
  });
});

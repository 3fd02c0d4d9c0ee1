import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';

type Once = (key: string, run: (tx: undefined) => Promise<void>) => unknown;
type Word = Awaited<ReturnType<IdempotencyStore['once']>>;
const words: readonly Word[] = ['handled', 'duplicate', 'in-progress'];

/** Delivers one event over a store that answers as it likes. */
async function deliver(once: Once, onEvent: () => unknown = () => {}) {
  let runs = 0;
  const { receiver, reported } = noting({
    store: { once } as IdempotencyStore,
    handlerTimeoutMs: 50,
    onEvent() {
      runs++;
      return onEvent();
    },
  });
  const result = await receiver.handle(signed([event('a')]));
  return { result, runs, reported };
}

const refused = { status: 503, error: { code: 'ERR_WEBHOOK_STORE' } };
const fails = () => Promise.reject(new Error('no'));

/** What a store does with its run before it answers. */
const uses: Record<string, (run: (tx: undefined) => Promise<void>) => unknown> = {
  'without a run': () => {},
  'after its run': (run) => run(undefined),
  'without waiting for its run': (run) => void run(undefined),
  'after a run whose failure it swallows': (run) => run(undefined).catch(() => {}),
};

describe('a store that answers something else than the three words', () => {
  const odd = [undefined, null, false, true, {}, [], '', 'busy', 'in_progress', 'HANDLED', 'handled ', 0, 1n, () => {}];
  const odder = fc.anything().filter((answer) => !words.some((word) => word === answer));

  it.each(Object.keys(uses))('never has an event acknowledged, %s', async (use) => {
    const check = async (answer: unknown) => {
      const { result } = await deliver(async (_key, run) => {
        await uses[use]?.(run);
        return answer;
      });
      expect(result).toMatchObject(refused);
    };
    for (const answer of odd) await check(answer);
    await fc.assert(fc.asyncProperty(odder, check), { numRuns: 50 });
  });
});

describe('a store whose word contradicts its run', () => {
  const answering =
    (word: Word, use: string): Once =>
    async (_key, run) => {
      await uses[use]?.(run);
      return word;
    };

  it.each([
    ['handled', 'without a run', () => {}],
    ['handled', 'without waiting for its run', () => new Promise(setImmediate)],
    ['handled', 'after a run whose failure it swallows', fails],
    ['duplicate', 'after a run whose failure it swallows', fails],
    ['duplicate', 'without waiting for its run', () => new Promise(setImmediate)],
  ] as const)('is refused when it says %s %s', async (word, use, onEvent) => {
    expect((await deliver(answering(word, use), onEvent)).result).toMatchObject(refused);
  });

  it('is refused, and reported once, when it throws in the turn in which it began its run', async () => {
    const away = new Error('away');
    const { result, reported } = await deliver((_key, run) => {
      void run(undefined);
      throw away;
    });
    expect(result).toMatchObject(refused);
    expect(result.error?.cause).toBe(away);
    // Longer than a store may take.
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(reported).toEqual(['ERR_WEBHOOK_STORE']);
  });

  it('may have undone its run in favour of another: duplicate', async () => {
    expect((await deliver(answering('duplicate', 'after its run'))).result.status).toBe(200);
  });
});

describe('a store that calls its run more than once', () => {
  it.each([
    [
      'at the same time',
      (run: (tx: undefined) => Promise<void>) => Promise.allSettled([run(undefined), run(undefined)]),
    ],
    [
      'after it succeeded',
      (run: (tx: undefined) => Promise<void>) => run(undefined).then(() => run(undefined).catch(() => {})),
    ],
    [
      'after it failed',
      (run: (tx: undefined) => Promise<void>) => run(undefined).catch(() => run(undefined).catch(() => {})),
    ],
  ])('%s runs the handler once, and is refused', async (how, use) => {
    for (const word of ['handled', 'duplicate'] as const) {
      const { result, runs } = await deliver(
        async (_key, run) => {
          await use(run);
          return word;
        },
        how.includes('failed') ? fails : undefined,
      );
      expect(result).toMatchObject(refused);
      expect(runs).toBe(1);
    }
  });

  it('once it was given up on runs nothing', async () => {
    let late: (tx: undefined) => Promise<void> = async () => {};
    const { result, runs, reported } = await deliver((_key, run) => {
      late = run;
      return new Promise(() => {});
    });
    expect(result).toMatchObject(refused);
    await expect(late(undefined)).rejects.toThrow('too late');
    expect(runs).toBe(0);
    expect(reported).toEqual(['ERR_WEBHOOK_STORE']);
  });
});

describe('a store that fails', () => {
  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const hostile = new Proxy(
    {},
    {
      get: throwing(new Error('do not look')),
      getPrototypeOf: throwing(new Error('do not look')),
    },
  );
  const claims = [
    { code: 'ERR_WEBHOOK_STORE', status: 200 },
    { code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', status: 200 },
    { code: 'ERR_WEBHOOK_HANDLER', status: Number.POSITIVE_INFINITY },
    Object.assign(Object.create(null), { code: 'ERR_WEBHOOK_STORE', status: 500n }),
    hostile,
    undefined,
    null,
    'text',
  ];

  it.each(['rejects', 'throws at once', 'rejects after its run', 'swallows and throws'])(
    'and %s never has an event acknowledged, whatever it throws',
    async (how) => {
      for (const thrown of claims) {
        const { result } = await deliver(
          how === 'throws at once'
            ? throwing(thrown)
            : async (_key, run) => {
                if (how !== 'rejects') await run(undefined).catch(() => {});
                throw thrown;
              },
        );
        expect(result).toMatchObject(refused);
      }
    },
  );
});

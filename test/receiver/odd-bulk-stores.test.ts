import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdempotencyStore, WebhookError } from '../../src/index.js';
import { deferred, event, noting, signed } from '../helpers.js';

type Run = (fresh: readonly string[], tx: undefined) => Promise<void>;
type OnceEach = (keys: readonly string[], run: Run) => unknown;

const keys = ['event.emitted:a', 'event.emitted:b', 'event.emitted:c'];
const refused = { status: 503, error: { code: 'ERR_WEBHOOK_STORE' } };
const fails = () => Promise.reject(new Error('no'));

/** Delivers three events over a store that answers as it likes. */
async function deliver(onceEach: OnceEach, onEvents: () => unknown = () => {}, transactional = false) {
  let runs = 0;
  const { receiver, reported } = noting({
    store: { once: fails, onceEach, transactional } as object as IdempotencyStore,
    handlerTimeoutMs: 30,
    onEvents() {
      runs++;
      return onEvents();
    },
  });
  const result = await receiver.handle(signed(['a', 'b', 'c'].map((id) => event(id))));
  return { result, runs, reported, receiver };
}

const during: OnceEach = (_keys, run) => {
  void run(keys, undefined);
  return fails();
};

/** What a store does with its run before it answers. */
const uses: Record<string, (run: Run) => unknown> = {
  'without a run': () => {},
  'after its run': (run) => run(keys, undefined),
  'without waiting for its run': (run) => void run(keys, undefined),
  'after a run whose failure it swallows': (run) => run(keys, undefined).catch(() => {}),
};

describe('a store whose onceEach answers something else than a word for each key', () => {
  const good = ['handled', 'handled', 'handled'];
  const odd = [
    undefined,
    null,
    'handled',
    {},
    [],
    good.slice(1),
    [...good, 'handled'],
    ['handled', 'handled', undefined],
    ['handled', 'handled', 'busy'],
    [['handled'], 'handled', 'handled'],
    { 0: 'handled', 1: 'handled', 2: 'handled', length: 3 },
    new Set(good),
    new Map(keys.map((key) => [key, 'handled'])),
    new Array(2 ** 32 - 1),
  ];
  const words = ['handled', 'duplicate', 'in-progress'];
  const odder = fc.oneof(
    fc.anything().filter((answer) => !Array.isArray(answer)),
    fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string(), fc.anything()), { maxLength: 5 })
      .filter((answer) => answer.length !== 3 || !answer.every((word) => words.some((each) => each === word))),
  );

  it.each(Object.keys(uses))('never has an event acknowledged, %s', async (use) => {
    const check = async (answer: unknown) => {
      const { result } = await deliver(async (_keys, run) => {
        await uses[use]?.(run);
        return answer;
      });
      expect(result).toMatchObject(refused);
      expect(result.outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    };
    for (const answer of odd) await check(answer);
    await fc.assert(fc.asyncProperty(odder, check), { numRuns: 50 });
  });
});

describe('a store whose words contradict its run', () => {
  const answering =
    (words: string[], use: string, fresh = keys): OnceEach =>
    async (_keys, run) => {
      await uses[use]?.((_, tx) => run(fresh, tx));
      return words;
    };

  it.each([
    [['handled', 'duplicate', 'duplicate'], 'without a run', undefined],
    [['handled', 'handled', 'handled'], 'without waiting for its run', () => new Promise(setImmediate)],
    [['duplicate', 'in-progress', 'in-progress'], 'without waiting for its run', () => new Promise(setImmediate)],
    [['handled', 'handled', 'handled'], 'after a run whose failure it swallows', fails],
    [['in-progress', 'duplicate', 'in-progress'], 'after a run whose failure it swallows', fails],
  ])('is refused: %j %s', async (words, use, onEvents) => {
    expect((await deliver(answering(words, use), onEvents)).result).toMatchObject(refused);
  });

  it('is refused when it says handled of a key that its run did not get', async () => {
    const { result } = await deliver(answering(['handled', 'handled', 'duplicate'], 'after its run', keys.slice(0, 1)));
    expect(result).toMatchObject(refused);
  });

  it('may have undone its run in favour of others', async () => {
    const { result } = await deliver(answering(['duplicate', 'in-progress', 'handled'], 'after its run'));
    expect(result.outcomes.map(({ status }) => status)).toEqual(['duplicate', 'in-progress', 'handled']);
  });
});

describe('a store that calls its run with other keys', () => {
  it.each<[unknown]>([
    [undefined],
    ['event.emitted:a'],
    [[]],
    [['another']],
    [[...keys, 'another']],
    [[keys[1], keys[0]]],
    [[keys[0], keys[0]]],
    [[keys[0], keys[0], keys[1]]],
    [new Set(keys)],
    [{ length: 1, 0: keys[0] }],
  ])('%j runs nothing, and is refused', async (fresh) => {
    for (const words of [
      ['handled', 'handled', 'handled'],
      ['duplicate', 'duplicate', 'duplicate'],
    ]) {
      const { result, runs } = await deliver(async (_keys, run) => {
        await run(fresh as string[], undefined).catch(() => {});
        await run(keys, undefined).catch(() => {});
        return words;
      });
      expect(result).toMatchObject(refused);
      expect(runs).toBeLessThanOrEqual(1);
    }
    const { runs } = await deliver((_keys, run) => run(fresh as string[], undefined));
    expect(runs).toBe(0);
  });
});

describe('a store that calls its run more than once', () => {
  it.each<[string, (run: Run) => Promise<unknown>, boolean]>([
    ['at the same time', (run) => Promise.allSettled([run(keys, undefined), run(keys, undefined)]), false],
    [
      'at the same time in transactions',
      (run) => Promise.allSettled([run(keys, undefined), run(keys, undefined)]),
      true,
    ],
    ['after it succeeded', (run) => run(keys, undefined).then(() => run(keys, undefined).catch(() => {})), false],
  ])('%s runs the handler once, and is refused', async (_, use, transactional) => {
    const { result, runs } = await deliver(
      async (_keys, run) => {
        await use(run);
        return keys.map(() => 'handled');
      },
      () => new Promise(setImmediate),
      transactional,
    );
    expect(result).toMatchObject(refused);
    expect(runs).toBe(1);
  });

  it('runs nothing once it was given up on', async () => {
    let late: Run = async () => {};
    const { result, runs, reported } = await deliver((_keys, run) => {
      late = run;
      return new Promise(() => {});
    });
    expect(result).toMatchObject(refused);
    await expect(late(keys, undefined)).rejects.toThrow('too late');
    expect(runs).toBe(0);
    expect(reported).toEqual(['ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_STORE']);
  });
});

describe('a store that fails', () => {
  const throwing = () => {
    throw new Error('down');
  };
  it.each<[string, OnceEach]>([
    ['throws at once', throwing],
    ['rejects', fails],
    ['rejects after its run', (_keys, run) => run(keys, undefined).then(fails)],
    ['rejects during its run', during],
    ['never settles', () => new Promise(() => {})],
    ['never settles after its run', (_keys, run) => run(keys, undefined).then(() => new Promise(() => {}))],
  ])('never has an event acknowledged: it %s', async (_, onceEach) => {
    const { result } = await deliver(onceEach, () => new Promise(setImmediate));
    expect(result).toMatchObject(refused);
    expect(result.outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  });

  it('is not asked again and again when it refuses a commit without a run', async () => {
    let calls = 0;
    const onceEach: OnceEach = () => {
      if (++calls > 10) return new Promise(() => {});
      throw new WebhookError('ERR_WEBHOOK_HANDLER', 'refused');
    };
    const { result, runs } = await deliver(onceEach, undefined, true);
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect({ calls, runs }).toEqual({ calls: 1, runs: 0 });
  });

  it('during its run leaves the handler its place and its time', async () => {
    const end = deferred();
    const { receiver } = await deliver(during, () => end.promise);
    expect(await receiver.drain({ timeoutMs: 20 })).toEqual({ unfinished: 1 });
    end.resolve();
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
  });
});

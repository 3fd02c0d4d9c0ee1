import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdempotencyStore, WebhookError } from '../../src/index.js';
import { deferred, event, noting, signed } from '../helpers.js';

type Run = (fresh?: unknown) => Promise<void>;
/** What a store does with its run, and answers. */
type Behaviour = (run: Run) => unknown;

const WORDS = ['handled', 'duplicate', 'in-progress'];
const KEYS = ['event.emitted:a', 'event.emitted:b', 'event.emitted:c'];
const refused = { status: 503, error: { code: 'ERR_WEBHOOK_STORE' } };
const fails = () => Promise.reject(new Error('no'));
const soon = () => new Promise(setImmediate);
const never = () => new Promise(() => {});

interface Form {
  readonly ids: readonly string[];
  readonly store: (behave: Behaviour) => object;
  readonly handler: 'onEvent' | 'onEvents';
  /** An answer with this word for each key. */
  readonly of: (word: string) => unknown;
  readonly odd: readonly unknown[];
}

const once: Form = {
  ids: ['a'],
  store: (behave) => ({ once: (_key: string, run: (tx: undefined) => Promise<void>) => behave(() => run(undefined)) }),
  handler: 'onEvent',
  of: (word) => word,
  odd: [undefined, null, true, {}, [], '', 'busy', 'in_progress', 'HANDLED', 'handled ', 0, 1n, () => {}],
};
const good = ['handled', 'handled', 'handled'];
const onceEach: Form = {
  ids: ['a', 'b', 'c'],
  store: (behave) => ({
    once: fails,
    onceEach: (keys: string[], run: (fresh: unknown, tx: undefined) => Promise<void>) =>
      behave((fresh = keys) => run(fresh, undefined)),
  }),
  handler: 'onEvents',
  of: (word) => KEYS.map(() => word),
  odd: [undefined, 'handled', {}, [], good.slice(1), [...good, 'handled'], ['handled', 'handled', undefined]].concat([
    ['handled', 'handled', 'busy'],
    [['handled'], 'handled', 'handled'],
    { 0: 'handled', 1: 'handled', 2: 'handled', length: 3 },
    new Set(good),
    new Array(2 ** 32 - 1),
  ] as never),
};

/** Delivers events over a store that does as it likes. */
async function deliver(form: Form, behave: Behaviour, handle: () => unknown = () => {}, transactional = false) {
  let runs = 0;
  const { receiver, reported } = noting({
    store: { ...form.store(behave), transactional } as object as IdempotencyStore,
    handlerTimeoutMs: 30,
    [form.handler]() {
      runs++;
      return handle();
    },
  });
  const result = await receiver.handle(signed(form.ids.map((id) => event(id))));
  return { result, runs, reported, receiver };
}

/** What a store does with its run before it answers. */
const uses: Record<string, (run: Run) => unknown> = {
  'without a run': () => {},
  'after its run': (run) => run(),
  'without waiting for its run': (run) => void run(),
  'after a run whose failure it swallows': (run) => run().catch(() => {}),
};
const answering =
  (answer: unknown, use: string): Behaviour =>
  async (run) => {
    await uses[use]?.(run);
    return answer;
  };

describe.each([
  ['once', once],
  ['onceEach', onceEach],
])('a store whose %s', (_name, form) => {
  const odder = fc.anything().filter((answer) => !WORDS.includes(answer as string) && !Array.isArray(answer));

  it.each(Object.keys(uses))('answers something else never has an event acknowledged, %s', async (use) => {
    const check = async (answer: unknown) => {
      const { result } = await deliver(form, answering(answer, use));
      expect(result).toMatchObject(refused);
      expect(result.outcomes.map(({ status }) => status)).toEqual(form.ids.map(() => 'failed'));
    };
    for (const answer of form.odd) await check(answer);
    await fc.assert(fc.asyncProperty(odder, check), { numRuns: 25 });
  });

  it.each<[string, string, (() => unknown)?]>([
    ['handled', 'without a run'],
    ['handled', 'without waiting for its run', soon],
    ['duplicate', 'without waiting for its run', soon],
    ['handled', 'after a run whose failure it swallows', fails],
    ['duplicate', 'after a run whose failure it swallows', fails],
    ['in-progress', 'after a run whose failure it swallows', fails],
  ])('says %s %s is refused', async (word, use, handle) => {
    expect((await deliver(form, answering(form.of(word), use), handle)).result).toMatchObject(refused);
  });

  it('may have undone its run in favour of another: duplicate', async () => {
    expect((await deliver(form, answering(form.of('duplicate'), 'after its run'))).result.status).toBe(200);
  });

  it.each<[string, Behaviour, (() => unknown)?, boolean?]>([
    ['at the same time', (run) => Promise.allSettled([run(), run()]), soon],
    ['at the same time in a transaction', (run) => Promise.allSettled([run(), run()]), soon, true],
    ['after it succeeded', (run) => run().then(() => run().catch(() => {}))],
    ['after it failed', (run) => run().catch(() => run().catch(() => {})), fails],
  ])('calls its run again %s runs the handler once, and is refused', async (_how, use, handle, transactional) => {
    for (const word of ['handled', 'duplicate']) {
      const answer: Behaviour = async (run) => [await use(run), form.of(word)][1];
      const { result, runs } = await deliver(form, answer, handle, transactional);
      expect(result).toMatchObject(refused);
      expect(runs).toBe(1);
    }
  });

  it('calls its run once it was given up on runs nothing', async () => {
    let late: Run = async () => {};
    const { result, runs, reported } = await deliver(form, (run) => {
      late = run;
      return never();
    });
    expect(result).toMatchObject(refused);
    await expect(late()).rejects.toThrow('too late');
    expect(runs).toBe(0);
    expect(reported).toEqual(form.ids.map(() => 'ERR_WEBHOOK_STORE'));
  });

  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const hostile = new Proxy({}, { get: throwing(new Error('no')), getPrototypeOf: throwing(new Error('no')) });
  const thrown = [
    new Error('down'),
    { code: 'ERR_WEBHOOK_STORE', status: 200 },
    { code: 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', status: 200 },
    { code: 'ERR_WEBHOOK_HANDLER', status: Number.POSITIVE_INFINITY },
    Object.assign(Object.create(null), { code: 'ERR_WEBHOOK_STORE', status: 500n }),
    hostile,
    undefined,
    'text',
  ];
  it.each<[string, (error: unknown) => Behaviour]>([
    ['throws at once', throwing],
    ['rejects', (error) => () => Promise.reject(error)],
    ['rejects after its run', (error) => (run) => run().then(throwing(error))],
    ['rejects during its run', (error) => (run) => [run(), Promise.reject(error)][1]],
    [
      'swallows the failure of its run and rejects',
      (error) => (run) =>
        run()
          .catch(() => {})
          .then(throwing(error)),
    ],
    ['never settles', () => never],
    ['never settles after its run', () => (run) => run().then(never)],
  ])('%s never has an event acknowledged', async (how, behave) => {
    for (const error of how.startsWith('never') ? [undefined] : thrown) {
      const { result } = await deliver(form, behave(error), soon);
      expect(result).toMatchObject(refused);
    }
  });

  it('rejects during its run leaves the handler its place and its time', async () => {
    const end = deferred();
    const { receiver } = await deliver(
      form,
      (run) => [run(), fails()][1],
      () => end.promise,
    );
    expect(await receiver.drain({ timeoutMs: 20 })).toEqual({ unfinished: 1 });
    end.resolve();
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
  });
});

describe('a store with onceEach', () => {
  it('is refused when it says handled of a key that its run did not get', async () => {
    const { result } = await deliver(onceEach, async (run) => {
      await run(KEYS.slice(0, 1));
      return ['handled', 'handled', 'duplicate'];
    });
    expect(result).toMatchObject(refused);
  });

  it.each<[unknown]>([
    ['event.emitted:a'],
    [[]],
    [['another']],
    [[...KEYS, 'another']],
    [[KEYS[1], KEYS[0]]],
    [[KEYS[0], KEYS[0]]],
    [new Set(KEYS)],
    [{ length: 1, 0: KEYS[0] }],
  ])('that calls its run with %j runs nothing, and is refused', async (fresh) => {
    for (const word of ['handled', 'duplicate']) {
      const { result, runs } = await deliver(onceEach, async (run) => {
        await run(fresh).catch(() => {});
        await run().catch(() => {});
        return onceEach.of(word);
      });
      expect(result).toMatchObject(refused);
      expect(runs).toBeLessThanOrEqual(1);
    }
    expect((await deliver(onceEach, (run) => run(fresh))).runs).toBe(0);
  });

  it('is not asked again and again when it refuses a commit without a run', async () => {
    let calls = 0;
    const refusing = () => {
      if (++calls > 10) return never();
      throw new WebhookError('ERR_WEBHOOK_HANDLER', 'refused');
    };
    const { result, runs } = await deliver(onceEach, refusing, undefined, true);
    expect(result).toMatchObject({ status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } });
    expect({ calls, runs }).toEqual({ calls: 1, runs: 0 });
  });
});

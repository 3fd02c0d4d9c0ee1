import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { WebhookError } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { type RunAll, storeDoing } from './fake-bulk-store.js';

onSteadyClock();

/** What a store does with its run, and answers. */
type Behaviour = (run: RunAll) => unknown;

const WORDS = ['handled', 'duplicate', 'in-progress', 'unknown'];
const KEYS = ['event.emitted:a', 'event.emitted:b', 'event.emitted:c'];
const refused = { status: 503, error: { code: 'ERR_WEBHOOK_STORE' } };
const fails = () => Promise.reject(new Error('no'));
const soon = () => new Promise(setImmediate);
const never = () => new Promise(() => {});

interface Form {
  readonly ids: readonly string[];
  readonly handler: 'onEvent' | 'onEvents';
  readonly odd: readonly unknown[];
}

const words = (...each: unknown[]) => new Map(each.map((word, index) => [KEYS[index], word]));
const one: Form = {
  ids: ['a'],
  handler: 'onEvent',
  odd: [undefined, null, true, {}, [], new Set(['handled']), new Map(), () => {}].concat(
    ['busy', 'in_progress', 'HANDLED', 'handled ', 0, undefined, ['handled']].map((word) => words(word)) as never,
  ),
};
const several: Form = {
  ids: ['a', 'b', 'c'],
  handler: 'onEvents',
  odd: [undefined, {}, words('handled', 'handled'), words('handled', 'handled', 'busy'), words(['handled'], 'handled')],
};

/** For a store that never settles. */
const briefly = { handlerTimeoutMs: 30 };

/** Delivers events over a store that does as it likes. */
async function deliver(
  form: Form,
  behave: Behaviour,
  handle: () => unknown = () => {},
  options: { handlerTimeoutMs?: number } = {},
) {
  let runs = 0;
  const { receiver, reported } = noting({
    store: storeDoing(behave),
    ...options,
    [form.handler]() {
      runs++;
      return handle();
    },
  });
  const result = await receiver.handle(signed(form.ids.map((id) => event(id))));
  return { result, runs, reported, receiver };
}

/** What a store does with its run before it answers. */
const uses: Record<string, (run: RunAll) => unknown> = {
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
  ['one key', one],
  ['several keys', several],
])('a store of transactions, for %s,', (_name, form) => {
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

  it.each(['duplicate', 'in-progress'])('may have undone a run that failed in favour of another: %s', async (word) => {
    const answer = answering(word, 'after a run whose failure it swallows');
    const { result } = await deliver(form, answer, fails);
    expect(result.outcomes.map(({ status }) => status)).toEqual(form.ids.map(() => word));
  });

  it('calls its run twice at the same time runs the handler once', async () => {
    const { result, runs } = await deliver(form, (run) => Promise.all([run(), run()]).then(() => 'handled'), soon);
    expect(result).toMatchObject(refused);
    expect(runs).toBe(1);
  });

  it('calls its run once it was given up on runs nothing', async () => {
    let late: RunAll = async () => {};
    const keeping = (run: RunAll) => {
      late = run;
      return never();
    };
    const { result, runs, reported } = await deliver(form, keeping, undefined, briefly);
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
    const isEndless = how.startsWith('never');
    for (const error of isEndless ? [undefined] : thrown) {
      const { result, receiver } = await deliver(form, behave(error), soon, isEndless ? briefly : {});
      expect(result).toMatchObject(refused);
      // What the store may still record is waited for.
      const unfinished = how === 'never settles after its run' ? 1 : 0;
      expect(await receiver.drain({ timeoutMs: 20 })).toEqual({ unfinished });
    }
  });
});

describe('a store of transactions', () => {
  it('is refused when it says handled of a key that its run did not get', async () => {
    const { result } = await deliver(several, async (run) => {
      await run(new Map([[KEYS[0], {}]]));
      return words('handled', 'handled', 'duplicate');
    });
    expect(result).toMatchObject(refused);
  });

  it.each<[unknown]>([
    ['event.emitted:a'],
    [KEYS],
    [new Map()],
    [new Map([['another', {}]])],
    [new Map([...KEYS, 'another'].map((key) => [key, {}]))],
    [{ size: 1, has: 1 }],
    [undefined],
  ])('that calls its run with %j runs nothing, and is refused', async (fresh) => {
    const { result, runs } = await deliver(several, (run) => run(fresh ?? null).then(() => 'handled'));
    expect(result).toMatchObject(refused);
    expect(runs).toBe(0);
  });

  it('that calls its run with another key gets an error that names the mistake', async () => {
    let told: unknown;
    await deliver(several, (run) => run(new Map([['another', {}]])).catch((error) => (told = error)));
    expect(told).toMatchObject({ message: 'The store must call its run with some of its keys.' });
  });

  it('that claims after the time of the handler is over does not start it, and the error says why', async () => {
    const { result, runs } = await deliver(one, (run) => {
      const frozen = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
      return run().finally(() => frozen.mockRestore());
    });
    expect(result.error?.message).toMatch(/^Claiming the key used up the time of the handler/);
    expect([result.status, runs]).toEqual([503, 0]);
  });

  it('that reports a killed run starts the handler if dead letters are off', async () => {
    const fresh = new Map(KEYS.map((key) => [key, { abandoned: true }]));
    const { result, runs } = await deliver(several, (run) =>
      run(fresh).then(() => new Map(KEYS.map((key) => [key, 'handled']))),
    );
    expect([result.status, runs]).toEqual([200, 1]);
  });

  it.each<[string, Behaviour, runs: number, refusal: object, handle?: typeof never]>([
    [
      'refuses a commit without a run',
      () => Promise.reject(new WebhookError('ERR_WEBHOOK_HANDLER', 'refused')),
      0,
      { status: 500, error: { code: 'ERR_WEBHOOK_HANDLER' } },
    ],
    ['never settles after a run of some keys', (run) => run(new Map([[KEYS[0], {}]])).then(never), 1, refused],
    [
      'has a handler for some keys whose time is up',
      (run) => run(new Map([[KEYS[0], {}]])),
      1,
      { status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } },
      never,
    ],
  ])('is asked once when it %s', async (_how, behave, runs, refusal, handle) => {
    let calls = 0;
    const once: Behaviour = (run) => (++calls > 10 ? never() : behave(run));
    const delivered = await deliver(several, once, handle, briefly);
    expect(delivered.result).toMatchObject(refusal);
    expect({ calls, runs: delivered.runs }).toEqual({ calls: 1, runs });
  });
});

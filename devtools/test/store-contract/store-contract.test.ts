import { type LeaseStore, memoryStore, type TransactionalStore } from 'event-webhook-receiver';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nothing } from '../../src/store-contract/call.js';
import { type StoreContractOptions, storeContract } from '../../src/store-contract/index.js';

type Letters = NonNullable<LeaseStore['letters']>;
type MakeStore = Parameters<typeof storeContract>[0];
type ClaimAnswer = NonNullable<ReturnType<Awaited<ReturnType<LeaseStore['claim']>>['get']>>;

/** The cases that the suite registers, as a runner gets them. */
function casesOf(makeStore: MakeStore, options: Partial<StoreContractOptions<undefined>> = {}) {
  const cases: Parameters<StoreContractOptions['test']>[] = [];
  storeContract(makeStore, { test: (...each) => cases.push(each), ...options });
  return cases;
}

/** Runs the case whose title includes `part`, and returns its failure. */
async function failureOf(makeStore: MakeStore, part: string, options?: Partial<StoreContractOptions<undefined>>) {
  const [, run = async () => {}] = casesOf(makeStore, options).find(([name]) => name.includes(part)) ?? [];
  return run().then(
    () => 'passed',
    (error: Error) => error,
  );
}

/** A store for a process alone, with the given member replaced. */
const storeWith = (member: Partial<LeaseStore>) => (): LeaseStore => ({ ...memoryStore(), ...member });

afterEach(() => vi.useRealTimers());

describe('storeContract', () => {
  it('gives each case its own title, a run without parameters and a timeout in ms', () => {
    const cases = casesOf(() => memoryStore());
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
    // A runner passes a callback to a function with parameters.
    expect(new Set(cases.map(([, run, timeoutMs]) => `${run.length} ${timeoutMs}`))).toEqual(new Set(['0 60000']));
  });

  it('registers only the cases that the options ask for', () => {
    const titles = (options: object) => casesOf(() => memoryStore(), options).map(([name]) => name.split(':')[0]);
    const effects = { write: nothing, count: () => 0 };
    const outage = { begin: nothing, end: nothing };
    const leases = () => Promise.reject(new Error('never called'));
    const groups = (options: object) => [...new Set(titles(options))];
    const always = ['one key', 'keys', 'several keys'];
    expect(groups({})).toEqual([...always, 'leases']);
    expect(groups({ outage, leases })).toEqual([...always, 'leases', 'the writes of a lease store', 'an outage']);
    expect(groups({ letters: true })).toEqual([...always, 'leases', 'dead letters']);
    // A transaction needs no lease.
    expect(groups({ effects, outage })).toEqual([...always, 'a transaction', 'an outage']);
  });

  it.each([
    ['no store', () => undefined, 'makeStore'],
    ['a store without its method release', storeWith({ release: 5 as never }), 'makeStore'],
    ['a transactional store without effects', () => ({ once: nothing }), 'effects'],
  ])('fails every case when makeStore returns %s', async (_, makeStore, name) => {
    for (const [, run] of casesOf(makeStore as MakeStore)) {
      await expect(run()).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringContaining(`\`${name}\``),
      });
    }
  });

  it('fails every case when a store has no letters that the options promise', async () => {
    const [, run] = casesOf(storeWith({ letters: undefined }), { letters: true })[0] ?? [];
    await expect(run?.()).rejects.toThrow('`letters` is only for a store that keeps dead letters');
  });

  const changed = async (letters: ReturnType<Letters['look']>, values: object) =>
    new Map([...(await letters)].map(([key, letter]) => [key, { ...letter, ...values }]));
  const wrong: [string, string, (letters: Letters) => Partial<Letters>][] = [
    [
      'counts every failure as the first',
      'both limits',
      ({ fail }) => ({
        fail: async (...call) => {
          const failed = await fail(...call);
          return failed && { ...failed, attempts: 1 };
        },
      }),
    ],
    [
      'makes a letter before its time',
      'both limits',
      ({ fail }) => ({ fail: (key, failure) => fail(key, { ...failure, afterMs: 0 }) }),
    ],
    [
      'counts the failure of another key',
      'counts nothing once',
      ({ fail }) => ({ fail: (key, failure) => fail(`${key}x`, failure) }),
    ],
    [
      'cuts its texts',
      'as it was',
      ({ fail }) => ({ fail: (key, failure) => fail(key, { ...failure, message: failure.message.slice(1) }) }),
    ],
    [
      'forgets a letter whose retry failed',
      'retry failed',
      ({ fail, discard }) => ({
        fail: async (key, failure) => {
          await discard([key]);
          return fail(key, failure);
        },
      }),
    ],
    ['lists letters of other sources', 'by source', ({ list }) => ({ list: ({ source: _, ...page }) => list(page) })],
    [
      'lists a letter twice',
      'by source',
      ({ list }) => ({ list: async (page) => ({ ...(await list({ ...page, after: undefined })) }) }),
    ],
    ['ignores the limit of a page', 'by source', ({ list }) => ({ list: (page) => list({ ...page, limit: 100 }) })],
    ['finds no letter', 'both limits', () => ({ look: async () => new Map() })],
    ['keeps another code', 'both limits', ({ look }) => ({ look: (keys) => changed(look(keys), { code: 'E_OTHER' }) })],
    [
      'dates failures to 1970',
      'both limits',
      ({ look }) => ({ look: (keys) => changed(look(keys), { lastFailedAt: 0 }) }),
    ],
    ['discards nothing', 'discards', () => ({ discard: async () => new Set() })],
    [
      'says that it discarded all keys',
      'discards',
      ({ discard }) => ({ discard: (keys) => discard(keys).then(() => new Set(keys)) }),
    ],
  ];
  it.each(wrong)('finds letters of a store that %s', async (_, part, change) => {
    const store = memoryStore();
    const letters = { ...store.letters, ...change(store.letters as Letters) } as Letters;
    const options = { letters: true, shared: false };
    expect(await failureOf(() => store, part, options)).toBe('passed');
    expect(await failureOf(() => ({ ...store, letters }), part, options)).toBeInstanceOf(Error);
  });

  const claims =
    (answer: ClaimAnswer): LeaseStore['claim'] =>
    async (keys) =>
      new Map(keys.map((key) => [key, answer]));
  it.each<[string, string, (store: LeaseStore) => Partial<LeaseStore>]>([
    [
      'never retries a letter',
      'removes it',
      ({ claim }) => ({
        claim: (keys, owner, step) => (step.from === 'dead' ? claims('in-progress') : claim)(keys, owner, step),
      }),
    ],
    [
      'retries a letter twice',
      'removes it',
      ({ claim, record }) => ({
        claim: (keys, owner, step) => (step.from === 'dead' ? claims({}) : claim)(keys, owner, step),
        record: async (keys, owner, step) => {
          const answers = await record(keys, owner, step);
          return step.from === 'dead' ? new Map(keys.map((key) => [key, true])) : answers;
        },
      }),
    ],
    [
      'handles a letter that is redelivered',
      'retry failed',
      ({ claim }) => ({
        claim: async (keys, owner, step) => {
          const answers = await claim(keys, owner, step);
          return step.from === 'dead' ? answers : new Map(keys.map((key) => [key, {}]));
        },
      }),
    ],
  ])('finds a store with letters that %s', async (_, part, change) => {
    const store = memoryStore();
    const options = { letters: true, shared: false };
    expect(await failureOf(() => ({ ...store, ...change(store) }), part, options)).toBeInstanceOf(Error);
  });

  type Once = TransactionalStore<undefined>['once'];
  const all = (keys: readonly string[], word: 'handled' | 'duplicate') => new Map(keys.map((key) => [key, word]));
  it.each<[string, string, number, Once]>([
    ['runs nothing', 'accepts any key', 0, async (keys) => all(keys, 'handled')],
    ['never runs a key', 'two hundred', 0, async (keys) => all(keys, 'handled')],
    ['answers all calls as handled', 'two hundred', 1, async (keys) => all(keys, 'handled')],
    [
      'answers all calls as duplicates',
      'two hundred',
      1,
      async (keys, _, run) => {
        await run(new Map(keys.map((key) => [key, {}])), undefined);
        return all(keys, 'duplicate');
      },
    ],
  ])('finds a transactional store that %s', async (_, part, count, once) => {
    const effects = { write: nothing, count: () => count };
    expect(await failureOf(() => ({ once }), part, { effects, shared: false })).toBeInstanceOf(Error);
  });

  it('says what happened, what was expected and what that means in production', async () => {
    // Each call of makeStore has its own memory, but the option `shared` is not false.
    const error = await failureOf(() => memoryStore(), 'does not run a key again');
    expect(error).toEqual(
      new Error(
        "A second replica gets an event that has taken effect: expected 'duplicate', got 'handled'. In production every redelivery of an event that has taken effect can take effect again.",
      ),
    );
  });

  it.each([
    ['got none within 10 s', storeWith({ claim: () => new Promise(nothing) }), 'answers only after'],
    ['`makeStore` did not settle within 10 s', () => new Promise<never>(nothing), 'answers only after'],
    ['`outage` did not settle within 30 s', storeWith({}), 'runs nothing while its server is away'],
  ])('does not wait for ever, and says what it waited for: %s', async (message, makeStore, part) => {
    vi.useFakeTimers();
    const outage = { begin: () => new Promise(nothing), end: nothing };
    const failing = failureOf(makeStore, part, { outage });
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await failing).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('lets the runs of a case end when it fails, so that the stores can be closed', async () => {
    const store = memoryStore();
    const recorded: string[] = [];
    // A second call of a claimed key is answered like one that has taken effect.
    const claim: LeaseStore['claim'] = async (...call) => {
      const answers = await store.claim(...call);
      return new Map([...answers].map(([key, answer]) => [key, answer === 'in-progress' ? 'duplicate' : answer]));
    };
    const record: LeaseStore['record'] = async (keys, ...call) => {
      recorded.push(...keys);
      return store.record(keys, ...call);
    };
    const error = await failureOf(storeWith({ claim, record }), 'keeps keys apart');
    expect(error).toMatchObject({ message: expect.stringContaining("expected 'in-progress', got 'duplicate'") });
    expect(recorded).toHaveLength(1);
  });
});

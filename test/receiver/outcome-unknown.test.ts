import { describe, expect, it } from 'vitest';
import { WebhookError } from '../../src/index.js';
import { leasedStore } from '../../src/stores/leased.js';
import { deferred, event, noting, signed } from '../helpers.js';
import { onSteadyClock } from '../steady-clock.js';
import { storeDoing } from './fake-bulk-store.js';

onSteadyClock();

type Run = (fresh: readonly string[], tx: undefined) => Promise<void>;
type OnceEach = (keys: readonly string[], run: Run) => Promise<unknown>;

const unknown = { code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN', status: 500 };
const ended = (cause?: unknown) =>
  new WebhookError('ERR_WEBHOOK_OUTCOME_UNKNOWN', 'The handler ended it: a, b.', { cause });
const delivery = (...ids: string[]) => signed(ids.map((id) => event(id)));
const keysOf = (...ids: string[]) => ids.map((id) => `event.emitted:${id}`);

/** A receiver of either form over a transactional store, whose handler does `work`. Notes what `onError` gets. */
function over(form: string, onceEach: OnceEach, work: () => unknown = () => {}, settings: object = {}) {
  const told: { code: string; cause: unknown; key: string | undefined }[] = [];
  let runs = 0;
  const handler = () => {
    runs++;
    return work();
  };
  const store = storeDoing(async (run, _signal, keys) => {
    const answers = await onceEach(keys, (fresh) => run(new Map(fresh.map((key) => [key, {}]))));
    return new Map((answers as string[]).map((word, index) => [keys[index], word]));
  });
  const { receiver } = noting({
    store,
    ...(form === 'onEvents' ? { onEvents: handler } : { onEvent: handler }),
    onError: ({ code, cause }, { idempotencyKey: key }) => void told.push({ code, cause, key }),
    ...settings,
  });
  return { receiver, told, runs: () => runs };
}

describe.each(['onEvent', 'onEvents'])('a transaction that ended without the store, with %s', (form) => {
  it('is answered 500, and onError gets each key, with the error of the handler as its cause', async () => {
    const no = new Error('no');
    const onceEach: OnceEach = (keys, run) => run(keys, undefined).catch((error) => Promise.reject(ended(error)));
    const { receiver, told, runs } = over(form, onceEach, () => Promise.reject(no));
    const result = await receiver.handle(delivery('a', 'b', 'c'));
    expect(result).toMatchObject({ status: 500, error: unknown });
    expect(result.outcomes.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    expect(told).toEqual(keysOf('a', 'b', 'c').map((key) => ({ code: unknown.code, cause: no, key })));
    expect(runs()).toBe(form === 'onEvents' ? 1 : 3);
  });

  it('is answered 500 if the handler has returned', async () => {
    const { receiver, told } = over(form, (keys, run) => run(keys, undefined).then(() => Promise.reject(ended())));
    expect(await receiver.handle(delivery('a', 'b'))).toMatchObject({ status: 500, error: unknown });
    expect(told).toEqual(keysOf('a', 'b').map((key) => ({ code: unknown.code, cause: undefined, key })));
  });

  it('fails a key that the store answers with unknown, with an error that names it, and no other', async () => {
    const words: Record<string, string> = { 'event.emitted:b': 'unknown', 'event.emitted:c': 'duplicate' };
    const onceEach: OnceEach = async (keys, run) => {
      const fresh = keys.filter((key) => words[key] === undefined);
      if (fresh.length > 0) await run(fresh, undefined);
      return keys.map((key) => words[key] ?? 'handled');
    };
    const { receiver, told } = over(form, onceEach);
    const result = await receiver.handle(delivery('a', 'b', 'c'));
    expect(result).toMatchObject({ status: 500, error: unknown });
    expect(result.outcomes.map(({ status }) => status)).toEqual(['handled', 'failed', 'duplicate']);
    expect(result.outcomes[1]?.error?.message).toContain(keysOf('b')[0]);
    expect(result.outcomes[1]?.error).not.toHaveProperty('cause');
    expect(told.map(({ key }) => key)).toEqual(keysOf('b'));
  });

  it('tells the cause of a run that the store took back before it found the key open', async () => {
    const no = new Error('no');
    const onceEach: OnceEach = async (keys, run) => {
      await run(keys, undefined).catch(() => {});
      return keys.map(() => 'unknown');
    };
    const { receiver, told } = over(form, onceEach, () => Promise.reject(no));
    expect((await receiver.handle(delivery('a'))).status).toBe(500);
    expect(told).toMatchObject([{ code: unknown.code, cause: no }]);
  });

  it('is reported for each key when the store finds out after the time limit', async () => {
    const gate = deferred();
    const onceEach: OnceEach = async (keys, run) => {
      await run(keys, undefined).catch(() => {});
      throw ended();
    };
    const { receiver, told } = over(form, onceEach, () => gate.promise, { handlerTimeoutMs: 20 });
    const late = { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' };
    expect(await receiver.handle(delivery('a', 'b'))).toMatchObject({ status: 500, error: late });
    gate.resolve();
    await receiver.drain();
    const codes = [late.code, late.code, unknown.code, unknown.code];
    expect(told.map(({ code }) => code).sort()).toEqual(codes);
    expect(told.filter(({ code }) => code === unknown.code).map(({ key }) => key)).toEqual(keysOf('a', 'b'));
  });

  it.each([
    ['an error', new Error('no')],
    ['nothing', undefined],
  ])('is not taken for a rollback when the store fails with its own error after %s', async (_what, thrown) => {
    const away = new Error('away');
    away.cause = { cause: away };
    const onceEach: OnceEach = (keys, run) =>
      run(keys, undefined).catch(() => Promise.reject(thrown ? away : new Error('away')));
    const { receiver, runs } = over(form, onceEach, () => Promise.reject(thrown));
    const result = await receiver.handle(delivery('a', 'b'));
    expect(result).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_STORE', cause: { message: 'away' } } });
    expect(runs()).toBe(form === 'onEvents' ? 1 : 2);
  });
});

describe('onEvents whose transaction ended without the store', () => {
  it.each([
    ['asks for the keys again that the run did not get', ended(), ['failed', 'failed', 'duplicate'], ['abc', 'c']],
    ['asks for no key again if the store fails', new Error('away'), ['failed', 'failed', 'failed'], ['abc']],
  ])('%s', async (_what, error, statuses, expected) => {
    const seen: string[] = [];
    const onceEach: OnceEach = async (keys, run) => {
      seen.push(keys.map((key) => key.at(-1)).join(''));
      if (seen.length > 1) return keys.map(() => 'duplicate');
      await run(keys.slice(0, 2), undefined);
      throw error;
    };
    const result = await over('onEvents', onceEach).receiver.handle(delivery('a', 'b', 'c'));
    expect(result.outcomes.map(({ status }) => status)).toEqual(statuses);
    expect(seen).toEqual(expected);
  });

  it('is not run again one by one while the store does not say what became of it', async () => {
    const onceEach: OnceEach = (keys, run) => run(keys, undefined).catch(() => new Promise<never>(() => {}));
    const failing = () => Promise.reject(new Error('no'));
    const { receiver, runs } = over('onEvents', onceEach, failing, { handlerTimeoutMs: 20 });
    expect((await receiver.handle(delivery('a', 'b'))).status).toBe(500);
    expect(runs()).toBe(1);
  });
});

describe('a receiver over a lease store that answers unknown', () => {
  const store = leasedStore({
    claim: async () => 'unknown',
    record: async () => true,
    release: async () => {},
  });

  it('runs nothing, is answered 500, and says so to those who only look', async () => {
    const { receiver, handled, reported } = noting({ store });
    expect(await receiver.handle(delivery('a'))).toMatchObject({ status: 500, error: unknown });
    expect(await receiver.peek([event('a') as never])).toEqual(['unknown']);
    expect([handled, reported]).toEqual([[], [unknown.code]]);
  });
});

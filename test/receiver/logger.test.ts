import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError, createReceiver, type Logger } from '../../src/index.js';
import { event, noting, type Settings, secret, signed, throwing } from '../helpers.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { FORGERIES } from '../matrix/cases/forgeries.js';
import { genuine, SECRET, sign } from '../matrix/deliveries.js';
import { onSteadyClock } from '../steady-clock.js';
import { storeDoing } from './fake-bulk-store.js';
import { following, hashOf, logOf } from './scripted-reorgs.js';

onSteadyClock();

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly err?: { readonly type: string; readonly code: string; readonly message: string };
  readonly [field: string]: unknown;
}

/** Pino itself at its lowest level, and what it has written. */
function createPino() {
  const text: string[] = [];
  const formatters = { level: (level: string) => ({ level }) };
  const logger = pino(
    { level: 'trace', base: null, timestamp: false, formatters },
    { write: (line) => text.push(line) },
  );
  return { logger, text, lines: (): Line[] => text.map((line) => JSON.parse(line)) };
}

/** A receiver that logs to pino. */
function logging(options: Settings = {}) {
  const { logger, ...log } = createPino();
  return { ...noting({ logger, ...options }), ...log };
}

const levels = (lines: readonly Line[]) => lines.map(({ level, err }) => [level, err?.code]);
const fail = () => Promise.reject(new Error('down'));

describe('the logger', () => {
  expectNothingUnhandled();
  afterEach(() => vi.restoreAllMocks());

  it('is told of an authentic delivery, and in detail of its items', async () => {
    const { receiver, lines } = logging();
    await receiver.handle(signed([event('a'), event('a'), { id: 'b', event: 'new.kind' }]));
    expect(lines()).toEqual([
      { level: 'debug', outcome: 'handled', idempotencyKey: 'event.emitted:a', msg: 'Item settled.' },
      { level: 'debug', outcome: 'duplicate', idempotencyKey: 'event.emitted:a', msg: 'Item settled.' },
      { level: 'info', status: 200, items: 3, handled: 1, duplicate: 1, unknown: 1, msg: 'Delivery answered.' },
    ]);
  });

  it('has one line for all invalid items, and counts those of unknown kinds', async () => {
    const items = [1, { id: 'b', event: 'new.kind' }, 2, { id: 'c', event: 'newer.kind' }, 3] as never;
    const taken = logging({ onInvalid: () => {} });
    await taken.receiver.handle(signed(items));
    expect(taken.lines()).toEqual([
      { level: 'info', status: 200, items: 5, unknown: 2, invalid: 3, msg: 'Delivery answered.' },
    ]);
    const { receiver, lines } = logging();
    await receiver.handle(signed(items));
    expect(lines()).toMatchObject([
      { level: 'warn', err: { type: 'InvalidEventError', count: 3 }, msg: expect.stringMatching(/^3 items are not/) },
      { level: 'info', status: 422, unknown: 2, invalid: 3 },
    ]);
  });

  it('is warned of a refusal, with its code and what to do', async () => {
    const { receiver, lines } = logging();
    await receiver.handle({ ...signed([event('a')]), signature: 'none' });
    const [line, ...more] = lines();
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      level: 'warn',
      err: { type: 'WebhookError', code: 'ERR_WEBHOOK_HEADER', status: 403 },
    });
    expect(line?.msg).toMatch(/^X-Service-Signature must be 64 hex digits/);
  });

  it('is warned of a pass over re-orgs that changed something, or failed to', async () => {
    const { logger, lines } = createPino();
    const { deliver, settle, chain, bad } = following({ logger, failing: ['-A10#0'] });
    await deliver(logOf('A'));
    for (const block of ['A', 'B', 'B', 'A']) {
      chain.canonical.set(10, hashOf(block));
      await settle();
      if (block === 'B') bad.clear();
    }
    const warned = lines().filter(({ level }) => level === 'warn');
    expect(warned.map(({ msg }) => msg)).toEqual(Array(3).fill('Re-org settled.'));
    expect(warned).toMatchObject([{ failed: 1 }, { reverted: 1 }, { applied: 1 }]);
  });

  it.each<[string, Settings, unknown, string]>([
    ['a handler that fails', { onEvent: fail }, event('a'), 'HANDLER'],
    [
      'a handler that takes too long',
      { handlerTimeoutMs: 20, onEvent: () => new Promise(() => {}) },
      event('a'),
      'HANDLER_TIMEOUT',
    ],
    ['a store that fails', { store: storeDoing(fail) }, event('a'), 'STORE'],
    ['an enqueue that fails', { enqueue: fail }, event('a'), 'ENQUEUE'],
  ])('is told of %s as an error, with the key of the event and its cause', async (_what, options, item, code) => {
    const { receiver, lines } = logging(options);
    await receiver.handle(signed([item]));
    expect(levels(lines())).toEqual([
      ['error', `ERR_WEBHOOK_${code}`],
      ['info', undefined],
    ]);
    expect(lines()[0]?.idempotencyKey).toBe('event.emitted:a');
    if (code !== 'HANDLER_TIMEOUT') expect(lines()[0]?.err?.message).toMatch(/: down$/);
  });

  it.each(FORGERIES)('gets nothing of the secret, a signature or the body of %s', async (_title, forge) => {
    const { receiver, text } = logging({ secret: SECRET });
    const delivery = genuine(event('0f2a-of-the-body'));
    const forged = await forge(delivery, sign);
    const { status } = await receiver.handle({ ...forged, rawBody: forged.body });
    expect(status).toBe(403);
    expect(text).toHaveLength(1);
    const secrets = [SECRET, delivery.signature, forged.signature, sign(forged.body, forged).signature];
    for (const part of [...secrets, '0f2a-of-the-body', 'ransfer(', 'rawFields', delivery.timestamp]) {
      if (part !== '') expect(text.join('')).not.toContain(part);
    }
  });

  it('may be the console, which prints one line for a refusal', async () => {
    const calls: unknown[][] = [];
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((...args) => void calls.push([level, ...args]));
    }
    const { receiver } = noting({ logger: console, onEvent: ({ id }) => (id === 'b' ? fail() : undefined) });
    await receiver.handle(signed([event('a'), event('b')]));
    await receiver.handle({ ...signed([]), signature: '' });
    expect(calls).toEqual([
      ['debug', { outcome: 'handled', idempotencyKey: 'event.emitted:a' }, 'Item settled.'],
      [
        'error',
        { err: expect.objectContaining({ code: 'ERR_WEBHOOK_HANDLER' }), idempotencyKey: 'event.emitted:b' },
        expect.any(String),
      ],
      ['info', { status: 500, items: 2, handled: 1, failed: 1 }, 'Delivery answered.'],
      ['warn', expect.stringContaining('X-Service-Signature must be 64 hex digits')],
    ]);
  });

  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('no disk'))],
    ['rejects', () => Promise.reject(new Error('no disk'))],
    ['never resolves', () => new Promise(() => {})],
  ])('that %s changes no answer, and onError is still told', async (_how, log) => {
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const { receiver, handled, reported } = noting({ logger, onEvent: ({ id }) => void handled.push(id) });
    expect((await receiver.handle(signed([event('a')]))).status).toBe(200);
    expect((await receiver.handle({ ...signed([]), signature: '' })).status).toBe(403);
    expect(handled).toEqual(['a']);
    expect(reported).toEqual(['ERR_WEBHOOK_HEADER']);
  });

  const levelled = ['debug', 'info', 'warn', 'error'].map((level) => ({ ...console, [level]: undefined }));
  it.each([null, 'console', 7, { ...console, warn: 'yes' }, ...levelled])(
    'of case %# is refused when the receiver is made',
    (logger) => {
      const create = () => createReceiver({ secret, logger: logger as never, onEvent() {} });
      expect(create).toThrow(ConfigError);
      expect(create).toThrow('`logger` must be an object with the functions debug, info, warn and error');
    },
  );
});

import { describe, expect, it } from 'vitest';
import { InvalidEventError, type WebhookError, type WebhookEvent } from '../../src/index.js';
import type { ErrorContext } from '../../src/receive/request.js';
import { event, noting, signed } from '../helpers.js';
import { storeDoing } from './fake-bulk-store.js';

const bad = { id: 'bad', event: 'event.emitted', data: {} };
const flat = { id: 'flat', event: 'transaction.included', data: [] };
const _unknown = { id: 'new', event: 'block.finalised', data: { any: 1 } };
const _statuses = (result: { outcomes: readonly { status: string }[] }) => result.outcomes.map(({ status }) => status);

describe('items that are no events', () => {
  it('reports all invalid items once, with their number and the first issues, and gives each of them that error', async () => {
    const contexts: ErrorContext[] = [];
    const errors: WebhookError[] = [];
    const onError = (error: WebhookError, context: ErrorContext) => contexts.push(context) && errors.push(error);
    const { receiver } = noting({ onError });
    const result = await receiver.handle(signed([event('a'), 1, flat, ...new Array(500).fill(2)] as never));
    expect(result.status).toBe(422);
    const [error, ...others] = errors;
    expect(others).toEqual([]);
    expect(error).toBeInstanceOf(InvalidEventError);
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_INVALID_EVENT', status: 422, count: 502 });
    expect(error?.message).toBe(
      '502 items are not valid events: 1: expected an object; 2.data: expected an object; 3: expected an object (and more)',
    );
    expect((error as InvalidEventError).issues).toHaveLength(10);
    expect((error as InvalidEventError).issues[1]).toEqual({ path: [2, 'data'], message: 'expected an object' });
    expect(result.error).toBe(error);
    expect(result.outcomes).toHaveLength(503);
    expect(result.outcomes.filter((outcome) => outcome.error === error)).toHaveLength(502);
    expect(result.outcomes[2]?.item).toMatchObject({ issues: [{ path: ['data'], message: 'expected an object' }] });
    expect(contexts).toEqual([{ item: result.outcomes[1]?.item, idempotencyKey: undefined }]);
  });

  it('answers with the status that is surest to be sent again: 500 before 503 before 422', async () => {
    const store = storeDoing(async (run, _signal, [key]) => {
      if (key === 'event.emitted:down') throw new Error('ECONNREFUSED');
      await run();
      return 'handled';
    });
    const onEvent = (each: WebhookEvent) => {
      if (each.id === 'fails') throw new Error('no');
    };
    const { receiver } = noting({ store, onEvent });
    expect((await receiver.handle(signed([bad, event('down'), event('fails')]))).status).toBe(500);
    expect((await receiver.handle(signed([bad, event('down')]))).status).toBe(503);
    expect((await receiver.handle(signed([bad, event('fine')]))).status).toBe(422);
  });
});

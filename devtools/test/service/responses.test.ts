import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptResponse } from '../../src/service/attempt.js';
import { createResponses } from '../../src/service/responses.js';
import { listening } from './receivers.js';
import { serving } from './service.js';

const attempt = (at: number): Attempt => ({ at, headers: [] });
const response = (bytes: number): AttemptResponse => ({
  headers: [['X', 'y']],
  bodyBase64: 'A'.repeat(bytes),
  bytes,
});

describe('createResponses', () => {
  it('keeps the latest within its limit', () => {
    const responses = createResponses(2_500);
    const attempts = [1, 2, 3].map(attempt);
    for (const each of attempts) responses.keep(each, response(1_000));
    responses.keep(attempt(4), undefined);
    expect(attempts.map((each) => responses.with(each).response?.bytes)).toEqual([undefined, 1_000, 1_000]);
    expect(responses.with(attempts[0] as Attempt)).toBe(attempts[0]);
  });
});

describe('a local service', () => {
  it('tells what the receiver answered, with every attempt', async () => {
    let attempts = 0;
    const { url } = await listening((_, answer) => {
      attempts++;
      answer.writeHead(attempts === 1 ? 500 : 200, { 'X-Mine': String(attempts) }).end(`answer ${attempts}`);
    });
    const { service, changed } = await serving();
    service.register({ label: 'mine', url });
    service.emit([{ id: 'a' }] as never, { unchecked: true });
    const { attempts: kept } = await changed(({ state }) => state === 'delivered');
    const answers = kept.map(({ response: each }) => Buffer.from(each?.bodyBase64 ?? '', 'base64').toString());
    expect(answers).toEqual(['answer 1', 'answer 2']);
    expect(kept[1]?.response?.headers).toContainEqual(['X-Mine', '2']);
    await service.idle();
  });
});

import { multibaasHeaders } from 'event-webhook-receiver/verify';
import { describe, expect, test } from 'vitest';
import { holdHalfSent } from '../../src/certify/half-sent.js';
import { CASES } from '../../src/certify/run-cases.js';
import type { Answer } from '../../src/post.js';
import { certified, FAIL_ID, ids, ownReceiver, SECRET } from './in-process.js';

const answered = (status: number, more: Partial<Answer> = {}): Answer => ({
  ...{ status, connected: true, durationMs: 0, body: '' },
  ...more,
});

describe('a run over our receiver', () => {
  test('skips what needs options, and judges by status without a counter', async () => {
    const { send } = ownReceiver();
    const results = await certified({ send });
    expect(ids(results, 'skipped')).toEqual(['failing-handler', 'effect-before-answer', 'half-sent']);
    expect(ids(results, 'failed')).toEqual([]);
    const twice = results.find((each) => each.case.id === 'twice');
    expect(twice?.detail).toBe('200 × 2; effects were not counted');
  });

  test('runs some cases or groups, after the first one', async () => {
    const { send } = ownReceiver();
    const sent: string[] = [];
    const some = await certified({
      only: ['seam', 'exactly-once'],
      send: (parcel) => {
        sent.push('one');
        return send(parcel);
      },
    });
    expect(some.map((each) => each.case.id)).toEqual([
      'seam',
      ...CASES.filter((each) => each.group === 'exactly-once').map(({ id }) => id),
    ]);
    expect(sent.length).toBeGreaterThan(some.length);
  });
});

describe('a run', () => {
  test('ends when the first event is not taken, and says what to look at', async () => {
    const { send } = ownReceiver();
    const refusing = await certified({ send, secret: 'another-secret' });
    expect(ids(refusing, 'failed')).toEqual(['one-event']);
    expect(ids(refusing, 'not-run')).toHaveLength(CASES.length - 1);
    expect(refusing[0]).toMatchObject({ detail: '403', case: { fix: expect.stringContaining('has this secret') } });
    expect(refusing[1]?.detail).toBe('one-event was not taken, so the other answers would mean nothing');
    expect(ids(await certified({ send, headers: multibaasHeaders }), 'failed')).toEqual(['one-event']);
    const [moved] = await certified({
      send: async () => answered(308, { location: 'http://x/?secret' }),
      only: ['seam'],
    });
    expect(moved).toMatchObject({
      detail: '308, a redirect, which the service does not follow',
      advice: { fix: expect.stringContaining('URL') },
    });
    const [absent] = await certified({ send: async () => answered(404) });
    expect(absent).toMatchObject({ advice: { fix: expect.stringContaining('POST') } });
    const [limited] = await certified({ send: async () => answered(429) });
    expect(limited).toMatchObject({ advice: { fix: expect.stringContaining('rate limit') } });
    const [hanging] = await certified({
      send: async () => ({ code: 'ETIMEDOUT', connected: true, durationMs: 1, body: '' }),
    });
    expect(hanging).toMatchObject({
      detail: 'there was no response in time',
      advice: { fix: expect.stringContaining('every request') },
    });
  });

  test('ends when the receiver is gone', async () => {
    const { send } = ownReceiver();
    let left = 3;
    const gone = { code: 'ECONNREFUSED', connected: false, durationMs: 0, body: '' };
    const results = await certified({ send: async (parcel) => (left-- > 0 ? send(parcel) : gone) });
    expect(ids(results, 'failed')).toEqual(['both-kinds']);
    expect(results.at(-1)).toMatchObject({
      verdict: 'not-run',
      detail: 'the receiver was gone after both-kinds: connection refused: nothing is listening at this address',
    });
  });

  test('ends when its time is over', async () => {
    const { send } = ownReceiver();
    let left = 2;
    const results = await certified({ send, isOver: () => --left < 0 });
    expect(ids(results, 'passed')).toEqual(['one-event', 'batch']);
    expect(results.at(-1)).toMatchObject({ verdict: 'not-run', detail: 'the time of the run was over' });
  });

  test('judges by status if one event has no effect', async () => {
    const { send } = ownReceiver();
    const results = await certified({ send, counter: async () => 7 });
    expect(ids(results, 'failed')).toEqual(['one-event']);
    expect(results[0]?.detail).toBe('200, but 0 effects instead of 1');
    expect(results.find((each) => each.case.id === 'twice')?.detail).toContain('not counted');
  });
});

test('a receiver that tells a stranger something fails every forgery', async () => {
  const { send } = ownReceiver();
  const with403 = (more: Partial<Answer>) =>
    certified({
      only: ['other-secret', 'upper-case-hex', 'stale'],
      send: async (parcel) => {
        const answer = await send(parcel);
        return answer.status === 403 ? { ...answer, ...more } : answer;
      },
    });
  const trace = await with403({ body: '<pre>Error<br> at verify (/srv/app.js:3:5)</pre>' });
  expect(trace[0]).toMatchObject({
    verdict: 'failed',
    detail: expect.stringContaining('a stack trace'),
    advice: { fix: expect.stringContaining('empty body') },
  });
  const secret = await with403({ headers: [['X-Debug', Buffer.from(SECRET).toString('hex')]] });
  expect(ids(secret, 'failed')).toContain('stale');
  expect(JSON.stringify(secret)).not.toContain(SECRET);
});

/** Answers in place of our receiver, or after it, from the second delivery on. */
type Later = (pass: () => Promise<Answer>, at: number) => Promise<Answer>;

const SILENT: Answer = { code: 'ETIMEDOUT', connected: true, durationMs: 1, body: '' };
const always =
  (answer: Answer): Later =>
  async () =>
    answer;
const everyOther =
  (status: number, isHandled = false): Later =>
  async (pass, at) => {
    if (at % 2 === 0) return pass();
    if (isHandled) await pass();
    return answered(status);
  };

describe('the verdict about a receiver', () => {
  test.each<[what: string, id: string, later: Later, verdict: string, detail: string]>([
    ['does not answer a failing handler', 'failing-handler', always(SILENT), 'failed', 'there was no response in time'],
    ['is too busy for some of fifty', 'fifty-at-once', everyOther(503), 'warning', '503 × 25'],
    ['fails for some of fifty', 'fifty-at-once', everyOther(500), 'failed', '500 × 25'],
    ['handles what it refuses', 'fifty-at-once', everyOther(503, true), 'failed', '50 effects instead of 25'],
    ['refuses an event', 'effect-before-answer', always(answered(500)), 'failed', '500'],
    ['takes it without an effect', 'effect-before-answer', always(answered(200)), 'failed', '0 effects instead of 1'],
    ['serves beside half-sent bodies', 'half-sent', (pass) => pass(), 'passed', '200'],
    ['is held up by half-sent bodies', 'half-sent', always(answered(503)), 'failed', '503'],
    ['knows no path for a forgery', 'other-secret', always(answered(404)), 'failed', 'which is not a refusal'],
    [
      'hangs up on a forgery',
      'other-secret',
      always({ ...SILENT, connected: false }),
      'failed',
      'there was no response in time',
    ],
    ['takes an old delivery', 'stale', always(answered(200)), 'warning', 'taken'],
  ])('that %s', async (_what, id, later, verdict, detail) => {
    const { send, counter } = ownReceiver();
    let sent = 0;
    const results = await certified({
      counter,
      send: (parcel) => (sent++ === 0 ? send(parcel) : later(() => send(parcel), sent)),
      hold: async () => () => {},
      failId: FAIL_ID,
      window: false,
      only: [id],
    });
    const found = results.find((each) => each.case.id === id);
    expect(found).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
  });

  test('that refuses a forgery and handles it', async () => {
    let effects = 0;
    const { send } = ownReceiver();
    const [found] = await certified({ send, counter: async () => effects++, only: ['other-secret'] });
    expect(found).toMatchObject({ verdict: 'failed', detail: expect.stringContaining('but 1 effects') });
  });
});

test.each(['http://127.0.0.1/', 'https://localhost/'])('half-sent gives up connections refused by %s', async (url) => {
  const release = await holdHalfSent(new URL(url), { headers: [], body: Buffer.from('[]') });
  release();
});

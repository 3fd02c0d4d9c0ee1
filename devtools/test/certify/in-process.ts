import { fetchHandler } from 'event-webhook-receiver/fetch';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { type Result, type RunOptions, runCases } from '../../src/certify/run-cases.js';
import type { Answer, Parcel } from '../../src/post.js';

export const SECRET = 'whsec-of-these-tests';
export const FAIL_ID = 'always-fails';

/** A receiver of ours in this process, and the number of its effects. */
export function ownReceiver() {
  let effects = 0;
  const handle = fetchHandler({
    secret: SECRET,
    onEvent({ id }) {
      if (id === FAIL_ID) throw new Error('the database is down');
      effects++;
    },
  });
  return { send: sendTo(handle), counter: async () => effects };
}

/** Sends to a Fetch handler. */
const sendTo =
  (handle: (request: Request) => Promise<Response>) =>
  async ({ headers, body }: Parcel): Promise<Answer> => {
    const lines = headers.map(([name, value]): [string, string] => [name, value]);
    const request = new Request('http://localhost/webhooks', {
      method: 'POST',
      headers: lines,
      body: Buffer.from(body),
    });
    const response = await handle(request);
    const answer = { status: response.status, connected: true, durationMs: 0 };
    return { ...answer, headers: [...response.headers], body: await response.text() };
  };

/** Runs cases without waiting for effects that come late. */
export async function certified(options: Partial<RunOptions> & Pick<RunOptions, 'send'>): Promise<Result[]> {
  const results: Result[] = [];
  const settings = { secret: SECRET, headers: serviceHeaders, hold: 'in this process', window: true, now: Date.now };
  const whole = { ...settings, only: [], isOver: () => false, lateMs: 0, furtherMs: 0, ...options };
  for await (const result of runCases(whole)) results.push(result);
  return results;
}

/** The ids of the cases with each verdict. */
export const ids = (results: readonly Result[], verdict: Result['verdict']) =>
  results.filter((each) => each.verdict === verdict).map((each) => each.case.id);

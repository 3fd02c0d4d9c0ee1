import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { Answer } from '../../post.js';
import { answersWords, answerWords, fixOf, isTaken } from '../answer.js';
import type { Bench } from '../bench.js';
import { type Case, failed, type Outcome, passed, skipped, warning } from '../case.js';
import { bytesOf } from '../events.js';

const MANY = 50;
/** Answers of a receiver that has too much to do, after which the service sends again. */
const BUSY = [429, 503];

async function failing(bench: Bench): Promise<Outcome> {
  const { failId } = bench;
  if (failId === undefined) return skipped('needs --fail-id');
  const event = sampleEventEmitted({ id: failId });
  const first = await bench.deliver(event);
  if (isTaken(first)) return failed(`acknowledged with ${answerWords(first)}, although the handler fails`);
  if (!first.connected || first.status === undefined) return failed(answerWords(first), { fix: fixOf(first) });
  const { value: second, effects = 0 } = await bench.count(1, () => bench.deliver(event));
  const words = answersWords([first, second]);
  if (!isTaken(second) || effects > 0) return passed(words);
  return failed(`${words}: the redelivery is a duplicate, without an effect`, {
    fix: 'Record an event as seen with its effect, in one transaction, or after it; never before it.',
  });
}

async function fifty(bench: Bench): Promise<Outcome> {
  const { value: answers, effects } = await bench.count(MANY, () =>
    Promise.all(Array.from({ length: MANY }, () => bench.deliver(sampleEventEmitted()))),
  );
  const slowest = Math.max(...answers.map(({ durationMs }) => durationMs));
  const words = `${answersWords(answers)}, the slowest after ${Math.round(slowest)} ms`;
  const bad = answers.find((answer) => !isTaken(answer) && !BUSY.includes(answer.status ?? 0));
  if (bad) return failed(words, { fix: fixOf(bad) });
  const taken = answers.filter(isTaken).length;
  if (effects !== undefined && effects !== taken) return failed(`${words}; ${effects} effects instead of ${taken}`);
  return taken === MANY ? passed(words) : warning(words);
}

async function early(bench: Bench): Promise<Outcome> {
  if (!bench.isCounting) return skipped('needs --effects');
  const { value, effects, lateMs } = await bench.count(1, () => bench.deliver(sampleEventEmitted()));
  if (!isTaken(value)) return failed(answerWords(value), { fix: fixOf(value) });
  if (effects !== 1) return failed(`${answerWords(value)}; ${effects} effects instead of 1`);
  return lateMs === 0 ? passed('the effect was there') : warning(`the effect came up to ${Math.ceil(lateMs)} ms later`);
}

async function halfSent(bench: Bench): Promise<Outcome> {
  const { hold } = bench;
  if (typeof hold === 'string') return skipped(hold);
  const half = bench.parcel(bench.sign(bytesOf([sampleEventEmitted()])));
  const release = await hold(half);
  const answers: Answer[] = [];
  try {
    while (answers.length < 3 && answers.every(isTaken)) answers.push(await bench.deliver(sampleEventEmitted()));
  } finally {
    release();
  }
  const words = answersWords(answers);
  return answers.every(isTaken) ? passed(words) : failed(words);
}

export const behavior: readonly Case[] = [
  {
    id: 'failing-handler',
    title: 'An event whose handler fails is not acknowledged, twice',
    risk: 'A database that is down for a minute: the events of that minute are acknowledged and lost.',
    fix: 'Answer after the effect: 2xx if it is done or stored durably, 500 if it failed.',
    run: failing,
  },
  {
    id: 'effect-before-answer',
    title: 'The effect is there when 2xx is answered',
    risk: 'A process that is stopped or crashes between the answer and the effect loses the event.',
    fix: 'Wait for the effect before the answer. If a durable queue has the event by then, ignore this.',
    run: early,
  },
  {
    id: 'fifty-at-once',
    title: 'Fifty deliveries at once are answered in time',
    risk: 'A busy block: the service runs into its time limit, repeats, and makes it worse.',
    fix: 'Do not handle one delivery after the other in the whole process; limit what is in flight, and answer 503 beyond it.',
    run: fifty,
  },
  {
    id: 'half-sent',
    title: '200 connections that send half a body hold nobody up',
    risk: 'One stranger with one laptop stops all deliveries, without a signature.',
    fix: 'Serve connections concurrently, limit the time in which a body must arrive, and put a proxy that buffers in front.',
    run: halfSent,
  },
].map((each) => ({ ...each, group: 'behavior' }) as const);

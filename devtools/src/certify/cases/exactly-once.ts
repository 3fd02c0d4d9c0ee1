import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { Answer } from '../../post.js';
import { answersWords, fixOf, isTaken } from '../answer.js';
import type { Bench } from '../bench.js';
import { type Case, failed, type Outcome, passed } from '../case.js';
import { bytesOf, twoLogs } from '../events.js';

interface Repeat extends Omit<Case, 'group' | 'run'> {
  readonly effects: number;
  /** Sends; of the answers, the last of each list must be 2xx. */
  readonly send: (bench: Bench) => Promise<readonly (readonly Answer[])[]>;
}

const TWICE = 'The service repeats a delivery whose answer it missed: money moves twice.';
const KEY =
  'Keep a key for each event (its `id`) in the database, under a unique constraint, in the transaction of the effect.';
const AT_ONCE = 10;
/** A duplicate that is refused because the first is being handled is sent again. */
const TRIES = 5;

const list: readonly Repeat[] = [
  {
    id: 'twice',
    title: 'The same delivery twice',
    effects: 1,
    send: async ({ sign, send }) => {
      const signed = sign(bytesOf([sampleEventEmitted()]));
      return [[await send(signed)], [await send(signed)]];
    },
    risk: TWICE,
    fix: `${KEY} Answer a duplicate with 200.`,
  },
  {
    id: 'ten-at-once',
    title: 'The same delivery ten times at once',
    effects: 1,
    send: async ({ sign, send }) => {
      const signed = sign(bytesOf([sampleEventEmitted()]));
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(signed)));
      for (let tries = 0; tries < TRIES && !isTaken(answers.at(-1) as Answer); tries++)
        answers.push(await send(signed));
      return [answers];
    },
    risk: 'Two replicas, or a retry that overtakes a slow answer: both look the key up, both find nothing, both act.',
    fix: `${KEY} To look it up first and to write it later is not enough.`,
  },
  {
    id: 'replayed',
    title: 'The same event, signed again at other times within the window',
    effects: 1,
    send: async ({ sign, send, seconds }) => {
      const body = bytesOf([sampleEventEmitted()]);
      const answers: Answer[][] = [];
      for (const ago of [10, 5, 0]) answers.push([await send(sign(body, String(seconds() - ago)))]);
      return answers;
    },
    risk: 'A retry with a new timestamp has another signature. A receiver that remembers signatures takes it for new.',
    fix: `${KEY} A signature or a timestamp is not a key.`,
  },
  {
    id: 'other-delivery',
    title: 'The same event in another delivery, beside a new one',
    effects: 2,
    send: async ({ deliver }) => {
      const [first, second] = [sampleEventEmitted(), sampleEventEmitted()];
      return [[await deliver(first)], [await deliver(first, second)]];
    },
    risk: 'The service batches a retry with newer events: what took effect does so again, or the new event is dropped with it.',
    fix: 'Deduplicate each event by its `id`, not each delivery by its body or its first event.',
  },
  {
    id: 'two-logs',
    title: 'Two events of one transaction, with the same name',
    effects: 2,
    send: async ({ deliver }) => [[await deliver(...twoLogs())]],
    risk: 'A transaction with two transfers, as of an exchange or a payroll: the second one is lost.',
    fix: 'Use the `id` as the key, or the hashes of block and transaction with the index of the log. Name and transaction do not tell two logs apart.',
  },
];

async function run({ effects: expected, send }: Repeat, bench: Bench): Promise<Outcome> {
  const { value, effects } = await bench.countAll(expected, () => send(bench));
  const words = answersWords(value.flat());
  const missing = value.map((answers) => answers.at(-1) as Answer).find((answer) => !isTaken(answer));
  if (missing)
    return failed(`${words}: not acknowledged`, {
      risk: 'The service repeats what took effect until it gives up.',
      fix: fixOf(missing),
    });
  if (effects === undefined) return passed(`${words}; effects were not counted`);
  const counted = `${words}; ${effects} ${effects === 1 ? 'effect' : 'effects'}`;
  if (effects === expected) return passed(counted);
  return failed(`${counted} instead of ${expected}`);
}

export const exactlyOnce: readonly Case[] = list.map((each) => ({
  ...each,
  group: 'exactly-once',
  run: (bench) => run(each, bench),
}));

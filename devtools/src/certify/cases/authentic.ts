import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import type { Answer } from '../../post.js';
import { answersWords, fixOf, isTaken } from '../answer.js';
import type { Bench } from '../bench.js';
import { type Case, failed, type Outcome, passed } from '../case.js';
import {
  bytesOf,
  eventNamed,
  eventOfSize,
  eventOfUnknownKind,
  eventWithAlias,
  eventWithUnknownKeys,
  transferOf,
} from '../events.js';

interface Authentic extends Omit<Case, 'group' | 'run'> {
  /** The deliveries, each with its events. */
  readonly deliveries: () => readonly (readonly unknown[])[];
  /** How many effects they have together; undefined if it depends on the app. */
  readonly effects?: number;
  /** Spellings of the headers, one for each delivery. */
  readonly spell?: readonly ((name: string) => string)[];
}

const LOST = 'The service repeats the delivery and then gives up: the events in it are lost.';

/** The first case, without which the others mean nothing. */
export const BASELINE = 'one-event';

const list: readonly Authentic[] = [
  {
    id: BASELINE,
    title: 'One `event.emitted`, compact JSON',
    deliveries: () => [[sampleEventEmitted()]],
    effects: 1,
    risk: LOST,
    fix: 'Check that the receiver has this secret, as UTF-8 text without a line break, that it reads these header names (`--headers multibaas`), and that its HMAC is over the raw body followed by the timestamp.',
  },
  {
    id: 'batch',
    title: 'Three events in one delivery',
    deliveries: () => [[sampleEventEmitted(), sampleEventEmitted(), sampleEventEmitted()]],
    effects: 3,
    risk: 'Only some events of a delivery take effect, or none.',
    fix: 'Loop over the whole array, and wait for each event before the answer.',
  },
  {
    id: 'both-kinds',
    title: '`transaction.included` beside `event.emitted`',
    deliveries: () => [[sampleTransactionIncluded()], [sampleEventEmitted(), sampleTransactionIncluded()]],
    risk: LOST,
    fix: 'Look at `event` before `data`: `transaction.included` has `data.tx` and no `data.event`.',
  },
  {
    id: 'unknown-keys',
    title: 'Keys that no documentation names, at every level',
    deliveries: () => [[eventWithUnknownKeys()]],
    effects: 1,
    risk: 'The service adds a field, and every delivery is refused from that minute on.',
    fix: 'Ignore unknown keys: a schema must not be strict.',
  },
  {
    id: 'unknown-kind',
    title: 'A kind of event that the service may add, alone and in a batch',
    deliveries: () => [[eventOfUnknownKind()], [sampleEventEmitted(), eventOfUnknownKind()]],
    risk: 'The service adds a kind of event. Its deliveries fail and hold back the others.',
    fix: 'Answer 200 to kinds that you do not handle, and log them.',
  },
  {
    id: 'address-alias',
    title: '`addressAlias` in place of `addressLabel`',
    deliveries: () => [[eventWithAlias()]],
    effects: 1,
    risk: 'The live service writes `addressAlias`: its deliveries fail in production only.',
    fix: 'Read either key, and require neither.',
  },
  {
    id: 'amounts',
    title: 'Amounts of 0, 1, and 2^256 - 1',
    deliveries: () => [[transferOf(0n)], [transferOf(1n)], [transferOf(2n ** 256n - 1n)]],
    effects: 3,
    risk: 'Anyone can send a transfer of such an amount, and stop your handler with it.',
    fix: 'Keep amounts as text or as big integers, and in columns that hold 78 digits.',
  },
  {
    id: 'converted-decimals',
    title: 'Amounts that the service converted to decimals',
    deliveries: () => [[transferOf(1n, '0.000000000000000001')], [transferOf(123_456n, '123.456')]],
    effects: 2,
    risk: 'The decimals of a token are configured at the service: `BigInt(value)` throws, and every transfer fails.',
    fix: 'Decode amounts from `rawFields`. An input may be a decimal although its type is `uint256`.',
  },
  {
    id: 'go-escapes',
    title: 'Text that Go escapes: `&`, `<`, `>`, U+2028',
    deliveries: () => [[eventNamed('R&D <Token>')], [eventNamed('line\u2028separator')]],
    effects: 2,
    risk: `A contract with such a name is refused as forged. ${LOST}`,
    fix: 'Compute the HMAC over the raw bytes of the body, before anything parses it. JSON that is serialized again has other bytes.',
  },
  {
    id: 'non-ascii',
    title: 'Text outside of ASCII',
    deliveries: () => [[eventNamed('Jetón')], [eventNamed('日本 😀')]],
    effects: 2,
    risk: `A contract with such a name is refused as forged. ${LOST}`,
    fix: 'Compute the HMAC over bytes. If you must decode the body first, decode it as UTF-8.',
  },
  {
    id: 'one-mebibyte',
    title: 'A body of 1 MiB',
    deliveries: () => [[eventOfSize(1024 * 1024)]],
    effects: 1,
    risk: 'A busy block makes a large delivery, which is refused each time.',
    fix: 'Raise the limit of the body, in the framework and in the proxy: many have 100 kB by default. 10 MiB is enough.',
  },
  {
    id: 'header-case',
    title: 'Names of headers in lower and upper case',
    deliveries: () => [[sampleEventEmitted()], [sampleEventEmitted()]],
    effects: 2,
    spell: [(name) => name.toLowerCase(), (name) => name.toUpperCase()],
    risk: 'A proxy or HTTP/2 changes the case, and every delivery is refused.',
    fix: 'Look headers up without regard to case.',
  },
];

/** Sends deliveries until one is not taken. */
async function sendAll({ deliveries, spell = [] }: Authentic, { sign, send, headers }: Bench): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [at, events] of deliveries().entries()) {
    const spelled = spell[at] ?? ((name: string) => name);
    const names = { signature: spelled(headers.signature), timestamp: spelled(headers.timestamp) };
    answers.push(await send(sign(bytesOf(events)), names));
    if (!isTaken(answers.at(-1) as Answer)) break;
  }
  return answers;
}

async function run(authentic: Authentic, bench: Bench): Promise<Outcome> {
  const { id, effects: expected } = authentic;
  const { value: answers, effects } = await bench.count(expected ?? 0, () => sendAll(authentic, bench));
  const last = answers.at(-1) as Answer;
  const detail = answersWords(answers);
  if (!isTaken(last)) return failed(detail, { fix: fixOf(last) });
  if (effects === undefined || expected === undefined || effects === expected) return passed(detail);
  const counted = `${detail}, but ${effects} effects instead of ${expected}`;
  if (id !== BASELINE)
    return failed(counted, { risk: 'The delivery is acknowledged and its events are lost, or take effect twice.' });
  return failed(counted, {
    risk: 'Effects are unknown: the other cases are judged by status.',
    fix: 'Run nothing else that has effects meanwhile. If the handler filters events, have it take the samples: Transfer events of the contract 0x5FbDB2315678afecb367f032d93F642f64180aa3.',
  });
}

export const authentic: readonly Case[] = list.map((each) => ({
  ...each,
  group: 'authentic',
  run: (bench) => run(each, bench),
}));

import { type Outcome, type StoreWord, wordsOf } from './call.js';

export const TWICE = 'an event takes effect twice';
export const UNNOTICED = `${TWICE}, and neither an error nor a log says so`;
export const LOST =
  'the sender gets a 200 for an event that has not taken effect, and never sends it again: the event is lost';
export const UNANSWERED = 'the delivery is not answered in time, and a redelivery does not help';
/** The fault of a store in which several calls claim one key. */
export const NOT_ATOMIC =
  'the claim is not atomic: a call must not read that the key is free and then write, unless the write fails when the key has changed since';
/** The meaning of a run that starts while another has the key. */
export const BOTH = 'two replicas handle the same event at the same time, and it takes effect twice';
export const REFUSED = 'the delivery is answered 503, and the event stays unhandled until the sender gives up';
const STUCK = 'the event is answered 500 until somebody settles its key';

/** The meaning in production if a store answers one word (the second) instead of another (the first). */
const MEANINGS: Record<StoreWord, Partial<Record<StoreWord, string>>> = {
  handled: { duplicate: LOST, 'in-progress': REFUSED, unknown: STUCK },
  duplicate: {
    handled: 'every redelivery of an event that has taken effect can take effect again',
    'in-progress': 'an event that has taken effect is answered 503 until the sender gives up or disables the webhook',
    unknown: STUCK,
  },
  'in-progress': {
    handled: BOTH,
    duplicate: `a redelivery is answered 200 while the first run can still fail. Then ${LOST}`,
    unknown: STUCK,
  },
  unknown: {
    handled: TWICE,
    duplicate: `effects that are incomplete are answered 200. Then ${LOST}`,
    'in-progress': 'the event is answered 503 until the sender gives up, and no error says why',
  },
};

export function meaningOf(expected: StoreWord | undefined, got: Outcome): string {
  if ('error' in got) return REFUSED;
  const meaning = expected && new Map<unknown, string>(Object.entries(MEANINGS[expected])).get(wordsOf(got)[0]);
  return (
    meaning ??
    'the receiver cannot tell which events have taken effect, treats the answer as an error of the store and answers 503'
  );
}

/** The meaning in production if a run or an effect did not happen exactly once. */
export const meaningOfCount = (count: number): string => (count > 1 ? TWICE : LOST);

/** The meaning in production if a store gives this answer without a run. */
export function meaningOfNoRun(outcome: Outcome): string {
  const word = wordsOf(outcome).find((each) => each !== 'handled');
  return word === undefined ? LOST : meaningOf('handled', { answer: word });
}

/** The error of a case: what happened, what was expected, what is wrong, and what that means in production. */
export function failure(
  what: string,
  expected: string,
  got: string | Outcome,
  meaning: string,
  mistake?: string | undefined,
): Error {
  const cause = typeof got === 'object' && 'error' in got ? { cause: got.error } : {};
  const because = mistake === undefined ? '' : `: ${mistake}`;
  return new Error(`${what}: expected ${expected}, got ${shown(got)}${because}. In production ${meaning}.`, cause);
}

function shown(got: string | Outcome): string {
  if (typeof got === 'string') return got;
  return 'answer' in got ? show(got.answer) : `the error ${quote(messageOf(got.error), LONGEST_ERROR)}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const LONGEST = 120;
/** Longer for errors, because an error of the store ends with what to do. */
const LONGEST_ERROR = 400;

/** A value for a message, with control characters and lone surrogates spelled out. A list of one is shown as its item. */
export function show(value: unknown): string {
  if (Array.isArray(value) && value.length === 1) return show(value[0]);
  if (Array.isArray(value)) return cut(`[${value.map(show).join(', ')}]`, LONGEST);
  return typeof value === 'string' ? quote(value, LONGEST) : cut(String(value), LONGEST);
}

/** A key for a message. A long key is shown by both ends, where keys differ, and its length. */
export function showKey(key: string): string {
  if (key.length <= LONGEST) return show(key);
  return `${show(`${key.slice(0, 50)}…${key.slice(-50)}`)} (${key.length} characters)`;
}

function quote(text: string, longest: number): string {
  return cut(`'${JSON.stringify(text).slice(1, -1)}'`, longest);
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

import type { IdempotencyStore } from 'event-webhook-receiver';
import { type Call, type Keys, type Outcome, RUN_FAILED, type StoreWord, wordsOf } from './call.js';
import { Setup } from './setup.js';
import { type Gate, settles, sleep, WAIT_MS, within } from './waiting.js';
import {
  BOTH,
  failure,
  LOST,
  meaningOf,
  meaningOfNoRun,
  messageOf,
  REFUSED,
  show,
  showKey,
  TWICE,
  UNANSWERED,
} from './words.js';

/** How long a second call may take before it counts as waiting for the first, in ms. */
const GRACE_MS = 150;
/** How long after its lease or retention a key may still be taken, in ms: some servers count in seconds. */
const GRANULARITY_MS = 1200;
const RETRY_MS = 100;

/** One case, with its expectations of the stores. */
export class Trial<Tx> extends Setup<Tx> {
  /** The outcome of a call, within the time limit of the suite. */
  settled(call: Call, what: string): Promise<Outcome> {
    const got = `no answer within ${WAIT_MS / 1000} s`;
    return within(
      () => call.settled,
      () => failure(what, 'an answer', got, UNANSWERED),
    );
  }

  /** Repeats a call that rejects without a run: with a short lease, the answer may be too late on a busy machine. */
  async patiently(start: () => Call, what: string): Promise<Call> {
    for (let tries = 1; ; tries++) {
      const call = start();
      const outcome = await this.settled(call, what);
      if (!('error' in outcome) || call.runs.length > 0 || tries === 5) return call;
      await sleep(50);
    }
  }

  /** Expects a word for the key, or one for each key in order; a single word stands for all keys. */
  async answers(call: Call, expected: StoreWord | readonly StoreWord[], what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    const words = call.keys.map((_, at) => (typeof expected === 'string' ? expected : (expected[at] as StoreWord)));
    const answers = 'answer' in outcome && outcome.answer;
    if (!Array.isArray(answers)) throw failure(what, show(words), outcome, meaningOf(words[0], outcome));
    const index = words.findIndex((word, at) => answers[at] !== word);
    if (index < 0) return;
    const one = `${what}, event ${index + 1} of ${words.length}, ${showKey(call.keys[index] as string)}`;
    const got = { answer: answers[index] };
    throw failure(words.length === 1 ? what : one, show(words[index]), got, meaningOf(words[index], got));
  }

  /** Expects one of several words for the key. */
  async oneOf(call: Call, words: readonly StoreWord[], what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if (isOneOf(outcome, words)) return;
    throw failure(what, words.map(show).join(' or '), outcome, meaningOf(words[0], outcome));
  }

  /** Expects `handled` after one run. A transactional store may have repeated the run after a conflict. */
  async handled(call: Call, what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    const runs = call.runs.length;
    if ('error' in outcome && runs > 0) throw failure(what, "'handled'", outcome, REPEATED);
    await this.answers(call, 'handled', what);
    if (runs === 0) throw failure(what, 'one call of run', 'none', LOST);
  }

  /** Expects that the keys have taken effect, and that no key is run again. */
  async duplicate(store: IdempotencyStore<Tx>, keys: Keys, what: string): Promise<void> {
    const call = await this.patiently(() => this.call(store, keys), what);
    await this.answers(call, 'duplicate', what);
    this.notRun(call, what);
  }

  notRun(call: Call, what: string, meaning = TWICE): void {
    if (call.runs.length > 0) throw failure(what, 'no call of run', `${call.runs.length}`, meaning);
  }

  /** Expects that the call rejects with the error of its run. */
  async rethrows(call: Call, what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    const expected = `the error of the run, ${show(RUN_FAILED)}`;
    if ('answer' in outcome) throw failure(what, expected, outcome, meaningOfNoRun(outcome));
    if (!messageOf(outcome.error).includes(RUN_FAILED)) throw failure(what, expected, outcome, HIDDEN);
  }

  /** Expects that the call rejects, with any error. */
  async rejects(call: Call, what: string, meaning: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if ('answer' in outcome) throw failure(what, 'an error', outcome, meaning);
  }

  /**
   * Claims one or more keys for a run that waits at its gate, and resolves once the run has all of them. `retries`: the
   * lease of the keys is about to end, so the call is repeated.
   */
  async hold(
    store: IdempotencyStore<Tx>,
    keys: Keys,
    what: string,
    retries = false,
  ): Promise<{ readonly call: Call; readonly gate: Gate }> {
    for (let waited = 0; ; waited += RETRY_MS) {
      const gate = this.gate();
      const call = this.call(store, keys, () => gate.passed);
      const late = () => failure(what, 'a call of run', `none within ${WAIT_MS / 1000} s`, UNANSWERED);
      await within(() => Promise.race([call.started, call.settled]), late);
      const { outcome, runs } = call;
      if (outcome === undefined) {
        const claimed = runs[0]?.length;
        if (claimed === call.keys.length) return { call, gate };
        const got = `one with ${claimed} of ${call.keys.length} keys`;
        if (!retries || waited >= GRANULARITY_MS) {
          throw failure(what, 'a run with all keys', got, REFUSED, retries ? TOO_LONG : undefined);
        }
        // Some keys are still claimed elsewhere.
        gate.fail(new Error(RUN_FAILED));
        await this.settled(call, what);
      } else {
        if (runs.length > 0) throw failure(what, 'an answer after the run has settled', outcome, LOST);
        // With a short lease, the answer to a claim may be too late on a busy machine.
        if (!(retries || 'error' in outcome) || waited >= GRANULARITY_MS) {
          const meaning = 'error' in outcome ? REFUSED : meaningOfNoRun(outcome);
          throw failure(what, 'a call of run', outcome, meaning, retries ? tooLong(outcome) : undefined);
        }
      }
      await this.passTime(RETRY_MS);
    }
  }

  /** Expects that a key that has just become free is handled. */
  async becomesFree(store: IdempotencyStore<Tx>, key: string, what: string): Promise<void> {
    for (let waited = 0; ; waited += RETRY_MS) {
      const call = this.call(store, key);
      const outcome = await this.settled(call, what);
      const [answer] = wordsOf(outcome);
      if (answer === 'handled') return this.handled(call, what);
      if (waited >= GRANULARITY_MS) {
        if (answer === 'duplicate') throw failure(what, "'handled'", outcome, FOR_EVER);
        throw failure(what, "'handled'", outcome, meaningOf('handled', outcome), tooLong(outcome));
      }
      await this.passTime(RETRY_MS);
    }
  }

  /** Repeats `start` until the answer is one of the words. Errors and other words are accepted for a while. */
  async eventually(start: () => Call, words: readonly StoreWord[], what: string): Promise<Call> {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const call = start();
      const outcome = await this.settled(call, what);
      const isLast = Date.now() > end;
      if (isLast || isOneOf(outcome, words)) {
        await this.oneOf(call, words, what);
        return call;
      }
      await sleep(20);
    }
  }

  /** Expects that no other call runs a claimed key: it answers `in-progress`, or waits. Returns the calls that wait. */
  async refused(store: IdempotencyStore<Tx>, key: string, what: string): Promise<Call[]> {
    const call = this.call(store, key);
    const answers = await settles(Promise.race([call.settled, call.started]), GRACE_MS);
    if (call.runs.length > 0) throw failure(what, "'in-progress'", 'a second run', BOTH);
    if (!answers) return [call];
    await this.answers(call, 'in-progress', what);
    return [];
  }
}

/** Whether the first key has one of the words. */
const isOneOf = (outcome: Outcome, words: readonly StoreWord[]) => words.includes(wordsOf(outcome)[0] as StoreWord);

/** The fault of a store in which a key is still claimed after its lease. */
function tooLong(outcome: Outcome): string | undefined {
  return wordsOf(outcome).includes('in-progress') ? TOO_LONG : undefined;
}

const TOO_LONG =
  'the lease lasts longer than leaseMs (if the database counts in seconds, pass `passTime` to wait for longer)';
const FOR_EVER = 'keys are kept longer than you have set, or forever: the table only grows';
const REPEATED =
  'the delivery is answered 503 and redelivered, and an event that has taken effect can take effect again';
const HIDDEN = 'logs and metrics do not show why the handler failed';

/** Cases by their titles. */
export type Cases = Readonly<Record<string, <Tx>(trial: Trial<Tx>) => Promise<void>>>;

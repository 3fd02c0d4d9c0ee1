import type { IdempotencyStore, StoreWord } from '../../stores/store.js';
import { type Call, nothing, repeat, type Work } from './call.js';
import { Ground } from './ground.js';
import { type Gate, settles, sleep, WAIT_MS, within } from './waiting.js';
import {
  BOTH,
  failure,
  LOST,
  meaningOf,
  meaningOfEach,
  meaningOfNoRun,
  messageOf,
  type Outcome,
  REFUSED,
  RUN_FAILED,
  show,
  showKey,
  TWICE,
  UNANSWERED,
} from './words.js';

/** How long a second call may take to answer before it counts as waiting for the first, in ms. */
const GRACE_MS = 150;
/** How much later than its lease or its retention a key may be free, in ms: some servers count in seconds. */
const GRANULARITY_MS = 1200;
const RETRY_MS = 100;

/** One case: its ground, and what it expects of the stores there. */
export class Trial<Tx> extends Ground<Tx> {
  /** The outcome of a call, within the time of the suite. */
  settled(call: Call, what: string): Promise<Outcome> {
    const got = `no answer within ${WAIT_MS / 1000} s`;
    return within(call.settled, () => failure(what, 'an answer', got, UNANSWERED));
  }

  /** Repeats a call that rejects without a run: with a short lease, its answer comes too late on a busy machine. */
  async patiently(start: () => Call, what: string): Promise<Call> {
    for (let tries = 1; ; tries++) {
      const call = start();
      const outcome = await this.settled(call, what);
      if (!('error' in outcome) || call.runs > 0 || tries === 5) return call;
      await sleep(50);
    }
  }

  /** Expects `handled` after one run. A transactional store may have repeated it after a conflict. */
  async handled(call: Call, what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if ('error' in outcome && call.runs > 0) throw failure(what, "'handled'", outcome, REPEATED);
    await this.word(call, 'handled', what);
    if (call.runs === 0) throw failure(what, 'one call of run', 'none', LOST);
    if (call.runs > 1 && !call.mayRepeat) throw failure(what, 'one call of run', `${call.runs} calls`, TWICE);
  }

  /** Expects that a key has taken effect, and is not run again. */
  async duplicate(store: IdempotencyStore<Tx>, key: string, what: string): Promise<void> {
    const call = await this.patiently(() => this.once(store, key), what);
    await this.word(call, 'duplicate', what);
    this.notRun(call, what);
  }

  /** Expects that nobody has a key and that it has not taken effect, by handling it. */
  async free(store: IdempotencyStore<Tx>, key: string, what: string): Promise<void> {
    await this.handled(this.once(store, key), what);
  }

  async word(call: Call, expected: StoreWord, what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if ('answer' in outcome && outcome.answer === expected) return;
    throw failure(what, show(expected), outcome, meaningOf(expected, outcome));
  }

  /** Expects a word for each key, in their order. */
  async words(call: Call, expected: readonly StoreWord[], what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    const answer = 'answer' in outcome ? outcome.answer : undefined;
    const isComplete = Array.isArray(answer) && answer.length === expected.length;
    if (!isComplete) throw failure(what, show(expected), outcome, meaningOfEach(expected, outcome));
    const index = expected.findIndex((word, at) => answer[at] !== word);
    if (index < 0) return;
    const one = `${what}, event ${index + 1} of ${expected.length}, ${showKey(call.keys[index] as string)}`;
    throw failure(one, show(expected[index]), show(answer[index]), meaningOfEach(expected, outcome));
  }

  /** Expects that all keys have taken effect, and that none is run again. */
  async duplicates(store: IdempotencyStore<Tx>, keys: readonly string[], what: string): Promise<void> {
    const call = await this.patiently(() => this.each(store, keys), what);
    await this.words(call, repeat(keys.length, 'duplicate'), what);
    this.notRun(call, what);
  }

  notRun(call: Call, what: string): void {
    if (call.runs > 0) throw failure(what, 'no call of run', `${call.runs}`, TWICE);
  }

  /** Expects that the call rejects with the error of its run. */
  async rethrows(call: Call, what: string, message = RUN_FAILED): Promise<void> {
    const outcome = await this.settled(call, what);
    const expected = `the error of the run, ${show(message)}`;
    if ('answer' in outcome) throw failure(what, expected, outcome, meaningOfNoRun(outcome));
    if (!messageOf(outcome.error).includes(message)) throw failure(what, expected, outcome, HIDDEN);
    if (call.runs > 1 && !call.mayRepeat) throw failure(what, 'one call of run', `${call.runs} calls`, RETRIED);
  }

  /** Expects no run, and an error or `in-progress`. `meaning`: that of a run. */
  async notAcknowledged(call: Call, what: string, meaning: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if (call.runs > 0) throw failure(what, 'an error and no call of run', 'a run', meaning);
    if ('answer' in outcome && outcome.answer !== 'in-progress') throw failure(what, 'an error', outcome, LOST);
  }

  /** Expects no run, and an error. `meaning`: that of a run. */
  async failsClosed(call: Call, what: string, meaning: string): Promise<void> {
    await this.notAcknowledged(call, what, meaning);
    await this.rejects(call, what, UNSEEN);
  }

  /** Expects that the call rejects, with any error. */
  async rejects(call: Call, what: string, meaning: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if ('answer' in outcome) throw failure(what, 'an error', outcome, meaning);
  }

  /**
   * Claims a key, or several, for a run that waits at its gate, and resolves once it runs with all of them. `retries`: their
   * lease is about to end.
   */
  async hold(
    store: IdempotencyStore<Tx>,
    keys: string | readonly string[],
    what: string,
    { work = nothing, retries = false }: { readonly work?: Work<Tx>; readonly retries?: boolean } = {},
  ): Promise<{ readonly call: Call; readonly gate: Gate }> {
    for (let waited = 0; ; waited += RETRY_MS) {
      const gate = this.gate();
      const waiting: Work<Tx> = async (...run) => {
        await work(...run);
        await gate.passed;
      };
      const call = typeof keys === 'string' ? this.once(store, keys, waiting) : this.each(store, keys, waiting);
      const late = () => failure(what, 'a call of run', `none within ${WAIT_MS / 1000} s`, UNANSWERED);
      await within(Promise.race([call.started, call.settled]), late);
      if (call.outcome === undefined) {
        const claimed = call.fresh[0]?.length;
        if (claimed === call.keys.length) return { call, gate };
        const got = `one with ${claimed} of ${call.keys.length} keys`;
        if (!retries || waited >= GRANULARITY_MS)
          throw failure(what, 'a run with all keys', got, REFUSED, retries ? TOO_LONG : undefined);
        // The others are still claimed.
        gate.fail(new Error(RUN_FAILED));
        await this.settled(call, what);
        await this.passTime(RETRY_MS);
        continue;
      }
      if (call.runs > 0) throw failure(what, 'an answer after the run has settled', call.outcome, LOST);
      // With a short lease, the answer to a claim comes too late on a busy machine.
      const isBusy = 'error' in call.outcome;
      if (!(retries || isBusy) || waited >= GRANULARITY_MS)
        throw failure(
          what,
          'a call of run',
          call.outcome,
          meaningOfNoRun(call.outcome),
          tooLong(call.outcome, retries),
        );
      await this.passTime(RETRY_MS);
    }
  }

  /** Expects that a key that has just become free is handled. */
  async becomesFree(store: IdempotencyStore<Tx>, key: string, what: string): Promise<void> {
    for (let waited = 0; ; waited += RETRY_MS) {
      const call = this.once(store, key);
      const outcome = await this.settled(call, what);
      if (waited >= GRANULARITY_MS || ('answer' in outcome && outcome.answer === 'handled')) {
        if ('answer' in outcome && outcome.answer === 'duplicate') throw failure(what, "'handled'", outcome, FOR_EVER);
        const mistake = tooLong(outcome, true);
        if (mistake !== undefined) throw failure(what, "'handled'", outcome, REFUSED, mistake);
        return this.handled(call, what);
      }
      await this.passTime(RETRY_MS);
    }
  }

  /** Repeats `start` until it is answered `word`. An error or another word is expected for a while. */
  async eventually(start: () => Call, words: readonly StoreWord[], what: string): Promise<Call> {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const call = start();
      const outcome = await this.settled(call, what);
      if ('answer' in outcome && words.includes(outcome.answer as StoreWord)) return call;
      if (Date.now() > end)
        throw failure(what, words.map(show).join(' or '), outcome, meaningOf(words[0] as StoreWord, outcome));
      await sleep(20);
    }
  }

  /**
   * Expects that nobody else runs a claimed key, or several: another call answers `in-progress`, or waits. Returns those that
   * wait.
   */
  async refused(store: IdempotencyStore<Tx>, keys: string | readonly string[], what: string): Promise<Call[]> {
    const call = typeof keys === 'string' ? this.once(store, keys) : this.each(store, keys);
    const answers = await settles(Promise.race([call.settled, call.started]), GRACE_MS);
    if (call.runs > 0) throw failure(what, "'in-progress'", 'a second run', BOTH);
    if (!answers) return [call];
    if (typeof keys === 'string') await this.word(call, 'in-progress', what);
    else await this.words(call, repeat(keys.length, 'in-progress'), what);
    return [];
  }

  /** Expects that a call was not run. One that had to wait too long on a busy machine is repeated. */
  async refusedOrLate(call: Call, again: () => Call, what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    const isLate = 'error' in outcome && call.runs === 0;
    await this.oneOf(isLate ? await this.patiently(again, what) : call, ['duplicate', 'in-progress'], what);
  }

  /** Expects one of several words. */
  async oneOf(call: Call, words: readonly StoreWord[], what: string): Promise<void> {
    const outcome = await this.settled(call, what);
    if ('answer' in outcome && words.includes(outcome.answer as StoreWord)) return;
    throw failure(what, words.map(show).join(' or '), outcome, meaningOf(words[0] as StoreWord, outcome));
  }
}

/** What is wrong with a key that is still claimed after its lease. */
function tooLong(outcome: Outcome, isOver: boolean): string | undefined {
  const isClaimed = 'answer' in outcome && [outcome.answer].flat().includes('in-progress');
  return isOver && isClaimed ? TOO_LONG : undefined;
}

const TOO_LONG =
  'the lease lasts longer than leaseMs (if the database counts in seconds, pass `passTime` to wait for longer)';
const UNSEEN =
  'onError, logs and metrics say that another run has the key, and not that the server of the store is away';
const FOR_EVER = 'keys are remembered for another time than you have set, or for ever: the table only grows';
const REPEATED =
  'the delivery is answered 503 and redelivered, and an event that has taken effect can take effect again';
const RETRIED =
  'a handler that failed half way runs again at once, outside its time limit, and repeats what it did before';
const HIDDEN = 'logs and metrics do not show why the handler failed';

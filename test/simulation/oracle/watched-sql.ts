import type { Answer, Run } from '../../../src/stores/sql/database.js';
import type { Process } from '../kernel/process.js';
import type { Leases, Told } from './leases.js';
import { callOf, type SqlCall } from './sql-calls.js';

/** How often a claim is tried while keys are neither claimed nor held. */
const CLAIM_TRIES = 5;

/** A claim of the store: several statements, until each key has a word. */
interface Claiming {
  readonly keys: readonly string[];
  readonly told: Told;
  readonly words: Map<string, unknown>;
  tries: number;
}

/** A client that tells the oracle of what the store of a process asks, and of what it is told, before the store is. */
export function watchRun(leases: Leases, process: Process, run: Run): Run {
  const owners = new Set<string>();
  const claiming = new Map<string, Claiming>();
  /** The claim whose answer left keys without a word: the store asks for their status in the same turn. */
  let next: Claiming | undefined;

  function settle(claim: Claiming, owner: string): void {
    claiming.delete(owner);
    claim.told.answered(claim.keys.map((key) => claim.words.get(key) ?? 'in-progress'));
  }

  function claim({ keys, owner }: SqlCall, send: () => Promise<Answer>): Promise<Answer> {
    const known = claiming.get(owner);
    const each = known ?? {
      ...{ keys, words: new Map<string, unknown>(), tries: 0 },
      told: leases.asked(
        process,
        'claim',
        keys,
        keys.map(() => owner),
      ),
    };
    owners.add(owner);
    claiming.set(owner, each);
    each.tries++;
    const answered = (rows: readonly object[]) => {
      for (const [key, token] of rows.map((row) => Object.values(row))) {
        each.words.set(String(key), token === undefined ? 'claimed' : BigInt(token));
      }
      if (each.words.size === each.keys.length) settle(each, owner);
      else next = each;
    };
    const sent = send();
    sent.then(
      ({ rows }) => answered(rows),
      (error: unknown) => {
        // The store goes on after a conflict.
        if (isConflict(error)) answered([]);
        else {
          claiming.delete(owner);
          each.told.failed();
        }
      },
    );
    return sent;
  }

  function status(sent: Promise<Answer>): void {
    const each = next;
    next = undefined;
    if (!each) return;
    const owner = [...claiming].find(([, one]) => one === each)?.[0] ?? '';
    sent.then(
      ({ rows }) => {
        for (const [key, word] of rows.map((row) => Object.values(row))) each.words.set(String(key), word);
        if (each.words.size === each.keys.length || each.tries === CLAIM_TRIES) settle(each, owner);
      },
      () => {
        claiming.delete(owner);
        each.told.failed();
      },
    );
  }

  return (statement, timeoutMs, values) => {
    const asked = callOf(statement, values);
    if (asked === undefined) return run(statement, timeoutMs, values);
    const send = () => run(statement, timeoutMs, values);
    if (asked.call === 'claim') return claim(asked, send);
    if (asked.call === 'status') {
      const sent = send();
      status(sent);
      return sent;
    }
    const { keys, owner } = asked;
    // A claim that failed while the store prepared it is released, although it was not sent.
    if (asked.call === 'release' && !owners.has(owner)) return send();
    const told = leases.asked(
      process,
      asked.call,
      keys,
      keys.map(() => owner),
    );
    const sent = send();
    sent.then(
      () => told.answered([]),
      () => told.failed(),
    );
    return sent;
  };
}

/** Tells the oracle of a statement that the server has run. `isDone` says whether a key is recorded there. */
export function served(
  leases: Leases,
  text: string,
  values: readonly string[],
  rows: readonly object[],
  isDone: (key: string) => boolean,
): void {
  const { call, keys, owner } = callOf(text, values) ?? {};
  if (call === undefined || call === 'status' || keys === undefined || owner === undefined) return;
  const answers = new Map(rows.map((row) => Object.values(row)).map(([key, token]) => [String(key), token]));
  for (const key of keys) {
    const isGiven = answers.has(key);
    const token: unknown = answers.get(key);
    if (call === 'release') leases.served(call, key, owner, 'released');
    else if (call === 'complete') leases.served(call, key, owner, isGiven ? 'recorded' : 'refused');
    else if (isGiven) leases.served(call, key, owner, token === undefined ? 'claimed' : BigInt(String(token)));
    else leases.served(call, key, owner, isDone(key) ? 'duplicate' : 'in-progress');
  }
}

function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(String(Object(error).code));
}

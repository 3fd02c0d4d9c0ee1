import type { IdempotencyStore } from 'event-webhook-receiver';
import { vi } from 'vitest';
import { type ContractSettings, storeContract } from '../../../src/store-contract/index.js';
import { Server, type Transaction } from './server.js';

type Case = { readonly title: string; readonly run: () => Promise<void> };

/** Opens a replica of a store. */
// biome-ignore lint/suspicious/noExplicitAny: with or without transactions
export type Open = (server: Server, settings: ContractSettings) => IdempotencyStore<any>;

/** The cases of the suite for a store, on a server that nothing else uses. */
export function casesOf(open: Open): Case[] {
  const server = new Server();
  const cases: Case[] = [];
  const effects = {
    write: (tx: Transaction, id: string) => tx.write(id),
    count: (id: string) => server.effects.filter((each) => each === id).length,
  };
  storeContract((settings) => open(server, settings), {
    test: (title, run) => cases.push({ title, run }),
    passTime: (ms) => {
      server.now += ms;
    },
    effects: 'once' in open(server, {}) ? effects : undefined,
    outage: {
      begin: () => {
        server.isAway = true;
        server.outages++;
      },
      end: () => {
        server.isAway = false;
      },
    },
  });
  return cases;
}

/**
 * Runs the cases of the suite with these titles. (Default: every case.) All timers are virtual, so that a case that waits
 * takes no time. Returns the titles of the cases that failed with their messages.
 */
export async function failuresOf(open: Open, titles?: readonly string[]): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  const clocks = [Date.now, performance.now];
  for (const title of titles ?? casesOf(open).map((each) => each.title)) {
    const message = await inVirtualTime(casesOf(open).find((each) => each.title === title)?.run as Case['run']);
    if (message !== undefined) failures.set(title, message);
  }
  if (Date.now !== clocks[0] || performance.now !== clocks[1]) throw new Error('The suite left a clock changed.');
  return failures;
}

/** Runs a case to its end, and returns the message of its error. */
async function inVirtualTime(run: () => Promise<void>): Promise<string | undefined> {
  const nextTurn = setImmediate;
  let ids = 0;
  // Keys in ascending order, so that a store that depends on their order always fails the same cases.
  const random = vi.spyOn(crypto, 'randomUUID').mockImplementation(() => `0-0-0-0-${String(++ids).padStart(12, '0')}`);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  try {
    let end: { message?: string } | undefined;
    run().then(
      () => {
        end = {};
      },
      (error: unknown) => {
        end = { message: error instanceof Error ? error.message : `not an Error: ${String(error)}` };
      },
    );
    for (;;) {
      await new Promise<void>((resolve) => nextTurn(() => resolve()));
      if (end) return end.message;
      if (vi.getTimerCount() === 0) return 'The case never settles.';
      vi.advanceTimersToNextTimer();
    }
  } finally {
    vi.useRealTimers();
    random.mockRestore();
  }
}

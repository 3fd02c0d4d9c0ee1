import { type ChainView, logOf } from '../../../src/chain/reorgs/chain-view.js';
import { createFollow } from '../../../src/chain/reorgs/follow.js';
import { createRevise } from '../../../src/chain/reorgs/revise.js';
import type { EventItem } from '../../../src/events/parse-delivery.js';
import { outcomesOf } from '../../../src/handle/answer.js';
import { stepOf } from '../../../src/handle/once.js';
import type { HandleEach } from '../../../src/handle/run-each.js';
import type { KeptLog, LogStore, OpenLog } from '../../../src/stores/log-store.js';
import type { Step } from '../../../src/stores/store.js';
import { eventOf } from '../models/events.js';
import type { PlayWay } from '../search/exhaustive.js';

/** Rules without which a log ends in the wrong state. */
export interface Rules {
  /** A delivery whose block is orphaned is stored as reverted. */
  readonly storesOrphans: boolean;
  /** A pass reads the hash after it has learnt whether the height is final. */
  readonly readsFinalityFirst: boolean;
  /** A row changes only at the version that the pass has read, and never once it is final. */
  readonly changesAtVersion: boolean;
  /** A row becomes final only at the version that the pass has read. */
  readonly settlesAtVersion: boolean;
}

export interface SmallReorgsOptions extends Partial<Rules> {
  readonly flips: number;
  /** How often the log is delivered. */
  readonly deliveries: number;
  /** Of both replicas together. */
  readonly passes: number;
}

interface Question {
  readonly who: string;
  readonly text: string;
  /** Serves the question and goes on with the answer, in one step. */
  answer(): void;
}

const ALL: Rules = {
  storesOrphans: true,
  readsFinalityFirst: true,
  changesAtVersion: true,
  settlesAtVersion: true,
};
const KEY = '1:log';
const CHAIN_ID = 1;
const HEIGHT = 16;
const ABOUT = { timestamp: '1767225600', via: 'webhook' } as const;
const item = { status: 'event', event: eventOf('a') } as unknown as EventItem;
const block = { chain: String(CHAIN_ID), blockNumber: HEIGHT, blockHash: 'A' };

/**
 * One height with blocks A and B, one log in A, and two replicas that each make passes, over an atomic store. Questions to
 * the chain and to the store are answered in any order. No lease keeps passes apart. It drives `createFollow` and `createRevise`.
 */
export function smallReorgs(options: SmallReorgsOptions): PlayWay {
  const rules = { ...ALL, ...options };
  return async (decide) => {
    const chain = { canonical: 'A', isFinal: false, flips: 0 };
    let row: (KeptLog & OpenLog & { isFinal: boolean }) | undefined;
    let [deliveries, passes, isOver] = [0, 0, false];
    const questions: Question[] = [];
    const observed = new Map<string, string>();
    const busy = new Set<string>();

    /** Asks the chain or the store: the answer is what holds when it comes. */
    function ask<T>(who: string, text: string, serve: () => T): Promise<T> {
      if (isOver) return Promise.resolve(serve());
      return new Promise((resolve) => {
        const question: Question = {
          ...{ who, text },
          answer() {
            questions.splice(questions.indexOf(question), 1);
            const value = serve();
            observed.set(who, `${observed.get(who) ?? ''}${text}:${JSON.stringify(value)};`);
            resolve(value);
          },
        };
        questions.push(question);
      });
    }

    /** Takes a step if the row allows it. */
    function take({ from, to, logs, transitions }: Step): boolean {
      if (from === 'free') {
        if (row) return false;
        row = { ...(logs?.get(KEY) as KeptLog), transitions: Number(to === 'applied'), isFinal: false };
        return true;
      }
      if (!row) return false;
      if (rules.changesAtVersion && (row.isFinal || row.transitions !== transitions?.get(KEY))) return false;
      if ((row.transitions % 2 === 1) !== (from === 'applied')) return false;
      row = { ...row, transitions: row.transitions + 1 };
      return true;
    }

    function partsOf(who: string) {
      const handle: HandleEach = async (items, { step }) => {
        const isTaken = await ask(who, 'step', () => take(step as Step));
        return outcomesOf(items, isTaken ? 'handled' : 'duplicate');
      };
      const logs: LogStore = {
        list: async () => new Map(row && !row.isFinal ? [[KEY, row]] : []),
        read: async () => (row?.isFinal ? undefined : row),
        find: async () => row,
        settle: (transitions) =>
          ask(who, 'settle', () => {
            const isRead = !rules.settlesAtVersion || row?.transitions === transitions.get(KEY);
            if (row && isRead) row.isFinal = true;
          }),
        lead: async () => true,
        yield: async () => {},
      };
      return { handle, logs, view: viewOf(who) };
    }

    function viewOf(who: string): ChainView {
      const isFinal = () => ask(who, 'final', () => chain.isFinal);
      const hash = () => ask(who, 'hash', () => chain.canonical);
      return {
        chainId: CHAIN_ID,
        intervalMs: false,
        idempotencyKey: () => KEY,
        placeOf: () => ({ block, logIndex: 0, isRemoval: false }),
        replaced: async () => new Set((await hash()) === 'A' ? [] : ['A']),
        async verdicts() {
          const first = rules.readsFinalityFirst ? undefined : await hash();
          const verdict = { isFinal: await isFinal(), isCanonical: (first ?? (await hash())) === 'A' };
          return new Map([['A', verdict]]);
        },
      };
    }

    const replicas = ['one', 'two'].map((who) => {
      const { view, logs, handle } = partsOf(who);
      const report = () => {};
      return {
        who,
        ...createRevise(view, { logs, apply: handle, revert: handle, keep: handle, report }),
      };
    });

    async function deliver(asks: boolean): Promise<void> {
      const who = `delivery ${++deliveries}`;
      busy.add(who);
      const { view, handle } = partsOf(who);
      const keep: HandleEach = async (items, about) =>
        rules.storesOrphans ? handle(items, about) : outcomesOf(items, 'handled');
      const follow = createFollow(view, keep, () => {});
      const kept = asks && (await follow(new Map([[item, KEY]]), ABOUT)).get(item);
      const items = new Map([[KEY, item]]);
      if (!kept) await handle(items, { ...ABOUT, step: stepOf(items, ABOUT, logOf(view)) });
      busy.delete(who);
      observed.delete(who);
    }

    async function pass({ who, pass: run }: (typeof replicas)[number]): Promise<void> {
      passes++;
      busy.add(who);
      observed.set(who, `read ${row?.transitions};`);
      await run(() => false);
      busy.delete(who);
      observed.delete(who);
    }

    /** One more pass at rest; then the effect must exist if and only if its block is canonical. */
    async function rest(): Promise<void> {
      isOver = true;
      await replicas[0]?.pass(() => false);
      const isApplied = (row?.transitions ?? 0) % 2 === 1;
      if (isApplied === (chain.canonical === 'A')) return;
      throw new Error(`${chain.canonical} is canonical, and the log of A is ${isApplied ? 'applied' : 'not applied'}.`);
    }

    function possible() {
      if (isOver) return [];
      const found = questions.map(({ who, text, answer }) => ({
        name: `${who}: ${text}`,
        act: answer as () => unknown,
      }));
      if (!chain.isFinal) {
        const settle = () => {
          chain.isFinal = true;
        };
        found.push({ name: 'the height becomes final', act: settle });
        const flip = () => {
          chain.flips++;
          chain.canonical = chain.canonical === 'A' ? 'B' : 'A';
        };
        if (chain.flips < rules.flips) found.push({ name: 'the chain flips', act: flip });
      }
      if (deliveries < rules.deliveries) {
        found.push({ name: 'the log is delivered', act: () => void deliver(true) });
        found.push({ name: 'the log is delivered, and no node answers', act: () => void deliver(false) });
      }
      const mayPass = passes < rules.passes && row !== undefined && !row.isFinal;
      for (const replica of replicas) {
        if (mayPass && !busy.has(replica.who))
          found.push({ name: `${replica.who}: pass`, act: () => void pass(replica) });
      }
      if (chain.isFinal && deliveries > 0 && busy.size === 0) found.push({ name: 'rest', act: rest });
      return found;
    }

    const fingerprint = () => {
      const waiting = questions.map(({ who, text }) => `${who} ${text}`);
      const state = row && [row.transitions, row.isFinal];
      const local = [...busy].sort().map((who) => [who, observed.get(who)]);
      return JSON.stringify([chain, state, deliveries, passes, isOver, local, waiting.sort()]);
    };

    for (;;) {
      const found = possible();
      const index = decide(found, fingerprint);
      if (index === undefined) return;
      await found[index]?.act();
      await new Promise(setImmediate);
    }
  };
}

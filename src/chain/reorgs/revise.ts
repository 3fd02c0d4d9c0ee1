import { ConfigError } from '../../errors.js';
import type { EventItem } from '../../events/parse-delivery.js';
import type { WebhookEvent } from '../../events/types.js';
import { asWebhookError, type EventOutcome, type Items } from '../../handle/answer.js';
import type { AboutDelivery } from '../../handle/context.js';
import { readLetter } from '../../handle/dead-letter.js';
import { keyOf } from '../../handle/idempotency-key.js';
import { storeFailure } from '../../handle/outcome.js';
import type { FollowedReceiver } from '../../handle/reorgs.js';
import type { ReorgReport } from '../../handle/tracing.js';
import { isApplied, type OpenLog } from '../../stores/log-store.js';
import type { Step } from '../../stores/store.js';
import { type ChainView, logOf } from './chain-view.js';

/** The parts of a receiver that passes use. */
export type ReviseParts = Pick<FollowedReceiver, 'logs' | 'apply' | 'revert' | 'keep' | 'report'>;

interface Due extends OpenLog {
  readonly key: string;
  readonly isFinal: boolean;
}

/** Events that change in one call. */
interface Change {
  readonly items: Map<string, EventItem>;
  /** The keys as the store writes them, by idempotency key. */
  readonly stored: Map<string, string>;
  /** Reads an event again, without what a handler changed in it. */
  readonly received: Map<EventItem, () => WebhookEvent>;
  readonly source: string | undefined;
  readonly transitions: number;
}

type Counts = { -readonly [Name in 'applied' | 'reverted' | 'failed' | 'final']: number };

const PAGE = 1000;

/** Makes the effects of logs follow the chain. */
export function createRevise(view: ChainView, { logs, apply, revert, keep, report }: ReviseParts) {
  const { chainId } = view;
  const chain = String(chainId);
  const kept = logOf(view);

  /** One pass, until `isOver`; over the blocks of `numbers` only, if given. Rejects if the store fails. */
  async function pass(isOver: () => boolean, numbers?: readonly number[]): Promise<ReorgReport> {
    const counts = { chainId, applied: 0, reverted: 0, failed: 0, final: 0 };
    const owner = crypto.randomUUID();
    if (!(await logs.lead(chain, owner))) return { ...counts, open: 0, isElsewhere: true };
    const due: Due[] = [];
    let oldestBlock: number | undefined;
    let total = 0;
    try {
      let after: { blockNumber: number; key: string } | undefined;
      for (let size = PAGE; size === PAGE && !isOver(); total += size) {
        const page = await logs.list({ chain, numbers, after, limit: PAGE });
        const verdicts = await view.verdicts([...page.values()]);
        const final = new Map<string, number>();
        for (const [key, log] of page) {
          after = { key, blockNumber: log.blockNumber };
          const verdict = verdicts.get(log.blockHash);
          if (!verdict?.isFinal) oldestBlock ??= log.blockNumber;
          if (verdict && verdict.isCanonical !== isApplied(log.transitions)) {
            due.push({ ...log, key, isFinal: verdict.isFinal });
          } else if (verdict?.isFinal) final.set(key, log.transitions);
        }
        await settle(final, counts);
        size = page.size;
      }
      for (const block of inOrder(due)) {
        if (isOver() || !(await logs.lead(chain, owner))) break;
        const before = counts.failed;
        await changeBlock(block, counts);
        if (counts.failed > before) oldestBlock = Math.min(oldestBlock ?? Infinity, block[0].blockNumber);
      }
    } finally {
      await logs.yield(chain, owner);
    }
    return { ...counts, open: total - counts.final, oldestBlock, isElsewhere: false };
  }

  async function settle(final: ReadonlyMap<string, number>, counts: Counts): Promise<void> {
    if (final.size > 0) await logs.settle(final);
    counts.final += final.size;
  }

  /** Changes the logs of one block, all in one direction. */
  async function changeBlock(block: readonly [Due, ...Due[]], counts: Counts): Promise<void> {
    const isReversal = isApplied(block[0].transitions);
    const [from, to] = isReversal ? (['applied', 'reverted'] as const) : (['reverted', 'applied'] as const);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const final = new Map<string, number>();
    for (const { items, stored, received, source, transitions } of await read(block, isReversal, counts)) {
      const step: Step = { from, to, transitions: new Map([...items.keys()].map((key) => [key, transitions])) };
      const asReceived = (item: EventItem) => (received.get(item) as () => WebhookEvent)();
      const about = { timestamp, via: 'reorg', source, step, application: applicationOf(transitions), asReceived };
      for (const outcome of await (isReversal ? revert : apply)(items, about)) {
        const { item, idempotencyKey, error } = outcome;
        if (error) report(error, { item, idempotencyKey });
        if (error) counts.failed++;
        if (outcome.status !== 'handled') continue;
        counts[to]++;
        const key = stored.get(outcome.idempotencyKey as string) as string;
        if (block[0].isFinal) final.set(key, transitions + 1);
      }
    }
    await settle(final, counts);
  }

  /** Reads the events of logs, in the order in which they change. */
  async function read(block: readonly Due[], isReversal: boolean, counts: Counts): Promise<Change[]> {
    const found = [];
    for (const { key, transitions } of block) {
      const log = await logs.read(key);
      if (log?.transitions !== transitions) continue;
      try {
        const letter = readLetter(log, key);
        const { logIndex } = view.placeOf(letter.item.event) as { readonly logIndex: number };
        found.push({ ...letter, key, transitions, logIndex, again: () => readLetter(log, key).item.event });
      } catch (error) {
        counts.failed++;
        report(error, {});
      }
    }
    found.sort((one, other) => (isReversal ? other.logIndex - one.logIndex : one.logIndex - other.logIndex));
    const changes: Change[] = [];
    for (const { idempotencyKey, key, source, transitions, item, again } of found) {
      let last = changes.at(-1);
      if (!last || last.source !== source || last.transitions !== transitions) {
        last = { items: new Map(), stored: new Map(), received: new Map(), source, transitions };
        changes.push(last);
      }
      last.items.set(idempotencyKey, item);
      last.stored.set(idempotencyKey, key);
      last.received.set(item, again);
    }
    return changes;
  }

  /** Retries a dead letter in the direction that the chain now demands; if that is unknown, in the one that failed. */
  async function retry(item: EventItem, key: string, about: AboutDelivery): Promise<EventOutcome> {
    const items: Items = new Map([[key, item]]);
    try {
      const place = view.placeOf(item.event);
      if (place && keyOf(view.idempotencyKey, item.event, about.source) !== key) {
        return { status: 'failed', item, idempotencyKey: key, error: new ConfigError(OTHER_CHAIN) };
      }
      const log = await logs.find(key);
      const block = log ?? place?.block;
      const transitions = log?.transitions ?? 0;
      const verdicts = block && (await view.verdicts([block]));
      const verdict = block && verdicts?.get(block.blockHash);
      const isWanted = verdict?.isCanonical ?? !isApplied(transitions);
      const to = isWanted ? 'applied' : 'reverted';
      const own = kept(item.event, key, about.source);
      const step: Step = { from: 'dead', to, logs: new Map(own && [[key, own]]) };
      const revised = { ...about, step, application: applicationOf(transitions) };
      const change = isWanted ? apply : revert;
      const [outcome] = await (isWanted === isApplied(transitions) ? keep : change)(items, revised);
      return outcome as EventOutcome;
    } catch (cause) {
      return { status: 'failed', item, idempotencyKey: key, error: asWebhookError(storeFailure(cause)) };
    }
  }

  return { pass, retry };
}

const OTHER_CHAIN = 'The key of this dead letter belongs to another chain. Retry it with the receiver of that chain.';

export type Revise = ReturnType<typeof createRevise>;

/** The number of the application that a change makes or reverts. */
function applicationOf(transitions: number): number {
  return Math.floor(transitions / 2) + 1;
}

/** Logs of the same block and direction together: reversals from the highest block down, then applications upward. */
function inOrder(due: readonly Due[]): [Due, ...Due[]][] {
  const places = new Map<string, [Due, ...Due[]]>();
  for (const log of due) {
    const place = `${log.blockHash} ${isApplied(log.transitions)}`;
    const block = places.get(place);
    if (block) block.push(log);
    else places.set(place, [log]);
  }
  const rank = ([{ blockNumber, transitions }]: [Due, ...Due[]]) => (isApplied(transitions) ? -blockNumber : Infinity);
  return [...places.values()].sort(
    (one, other) => rank(one) - rank(other) || one[0].blockNumber - other[0].blockNumber,
  );
}

import { type ChainSourceOptions, chainSource, type ReconcileOptions, reconcile } from '../../../src/chain/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver, type Receiver, type ReceiverOptions, type WebhookEvent } from '../../../src/index.js';
import { secret } from '../../helpers.js';
import type { ScriptedNode } from '../scripted-node.js';
import { createRecorder, isEmitted, token, valuesOf } from '../watching.js';

export const chainId = 31337;

/** The value of the transfer that an event is about. */
export const amountOf = (event: WebhookEvent): number => Number(valuesOf([[event]])[0]?.[0]);

/** A receiver that notes the values of the transfers that it handled. */
export function noting(options: Partial<ReceiverOptions> & { fails?: (value: number) => boolean } = {}) {
  const { fails = () => false, ...others } = options;
  const handled: number[] = [];
  const settings = {
    secret,
    idempotencyKey: (event: WebhookEvent) => logIdentity(event, { chainId }),
    ...(!others.enqueue && {
      onEvent: (event: WebhookEvent) => {
        if (!isEmitted(event)) return;
        if (fails(amountOf(event))) throw new Error('The handler fails.');
        handled.push(amountOf(event));
      },
    }),
    ...others,
  };
  const receiver: Receiver = createReceiver(settings as ReceiverOptions);
  return { receiver, handled };
}

/** A cursor in memory. */
export function keptCursor(text?: string) {
  const cursor = {
    text,
    writes: 0,
    read: () => cursor.text,
    write(next: string, expected: string | undefined) {
      if (cursor.text !== expected) return false;
      cursor.text = next;
      cursor.writes++;
      return true;
    },
    get state(): { next: number; retry: [string, number][] } {
      return JSON.parse(cursor.text ?? '{"next":0,"retry":[]}');
    },
  };
  return cursor;
}

/** What a scripted node has, as a source in which every block is final. */
export function sourceOf(node: ScriptedNode | readonly ScriptedNode[], options: Partial<ChainSourceOptions> = {}) {
  const { lines, logger } = createRecorder();
  const nodes = [node].flat() as ScriptedNode[];
  const source = chainSource({
    rpcUrl: nodes.map(({ url }) => url),
    contracts: [token],
    level: { confirmations: 1 },
    minAgeSeconds: 0,
    timeoutMs: 5000,
    logger,
    ...options,
  });
  return { source, lines };
}

/** What a source returns for a range of positions, up to its end. */
export async function readAll(source: ReconcileOptions['source'], from = 0, to?: number) {
  const { end, read } = await source.open({ signal: new AbortController().signal });
  const chunks = [];
  for await (const chunk of read(from, to ?? end)) chunks.push(chunk);
  return { chunks, events: chunks.flatMap(({ entries }) => entries.map(({ event }) => event)) };
}

/** Reconciles what a scripted node has with a receiver. */
export async function run(
  node: ScriptedNode | readonly ScriptedNode[],
  receiver: ReconcileOptions['receiver'],
  options: Partial<ReconcileOptions> & { sourceOptions?: Partial<ChainSourceOptions> } = {},
) {
  const { sourceOptions, ...others } = options;
  const { logger, lines } = createRecorder();
  const cursor = keptCursor();
  const { source, lines: sourceLines } = sourceOf(node, sourceOptions);
  const all = { source, receiver, from: 0, cursor, retryDelayMs: 1, logger, ...others };
  const report = await reconcile(all);
  return { report, lines: [...sourceLines, ...lines], cursor: all.cursor as typeof cursor, source: all.source };
}

import pg from 'pg';
import { chainSource, type ReconcileCursor, reconcile } from '../../../src/chain/index.js';
import { createReceiver, type Receiver, type WebhookError } from '../../../src/index.js';
import { token } from '../../simulation/models/chain/token.js';
import { CHAIN_ID, WALLET } from '../chain/history.js';
import { idOfKey, shortIdOfKey } from '../chain/keys.js';
import { monotonic } from '../clock.js';
import { handling, NODE_TIMEOUT_MS, silent } from './finality.js';
import { DRAIN_MS } from './shutdown.js';
import { pass, settings, tell } from './steps.js';
import type { Work } from './stores.js';

const INTERVAL_MS = 300;

/** The part of a cursor's text that is watched. */
interface CursorText {
  readonly next: number;
  readonly retry: readonly (readonly [key: string, position: number])[];
}

/**
 * Makes good what was lost, again and again. Returns a function that stops it, once a run under way has ended.
 *
 * @param queued The receiver that stores events for a worker. (Default: one that handles them itself.)
 */
export function startReconciling(work: Work, queued?: Receiver): () => Promise<void> {
  const { cursor } = work;
  if (settings.chain === undefined || cursor === undefined) throw new Error('The mode has no chain.');
  const { secret, handlerTimeoutMs } = settings;
  const onError = ({ code, message }: WebhookError) => console.error(code, message);
  const receiver = queued ?? createReceiver({ secret, handlerTimeoutMs, onError, ...handling(work) });
  const { rpcUrl, level, agree } = settings.chain;
  const common = { timeoutMs: NODE_TIMEOUT_MS, logger: silent };
  const source = chainSource({
    ...{ ...common, rpcUrl, level, agree, chainId: CHAIN_ID, contracts: [token], wallets: [WALLET], maxRange: 50 },
    minAgeSeconds: 0,
  });
  const pool = new pg.Pool({ connectionString: settings.effectsUrl, max: 1 });
  pool.on('error', (error) => console.error('pool:', error.message));
  /** What the receiver has stored, or found stored, in this process. */
  const stored = new Set<string>();
  let answered = { handled: 0, stored: 0 };

  async function settled(): Promise<string[]> {
    if (queued) return [...stored];
    const { rows } = await pool.query(`SELECT DISTINCT event_id FROM effects WHERE run = '${settings.run}'`);
    return rows.map((row) => String(row.event_id));
  }

  const watched: ReconcileCursor = {
    read: () => cursor.read(),
    async write(next, expected) {
      const text: CursorText = JSON.parse(next);
      const before: CursorText | undefined = expected === undefined ? undefined : JSON.parse(expected);
      tell({
        cursor: {
          // What another process has stored is known to that process.
          from: queued ? (before?.next ?? 0) : 0,
          next: text.next,
          retry: text.retry.map(([key]) => shortIdOfKey(key) ?? key),
          settled: await settled(),
        },
      });
      const isOurs = await cursor.write(next, expected);
      pass('after-cursor');
      return isOurs;
    },
  };

  const passedOn: Receiver = {
    ...receiver,
    async handleEvents(events, options) {
      const result = await receiver.handleEvents(events, options);
      const idsOf = (wanted: string) => {
        const some = result.outcomes.filter(({ status }) => status === wanted);
        return some.flatMap(({ idempotencyKey }) => (idempotencyKey === undefined ? [] : [idOfKey(idempotencyKey)]));
      };
      const now = { handled: idsOf('handled'), stored: idsOf('stored') };
      for (const id of now.stored) stored.add(id);
      answered = { handled: answered.handled + now.handled.length, stored: answered.stored + now.stored.length };
      tell({ madeGood: now.handled, at: monotonic() });
      pass('after-repair');
      return result;
    },
  };

  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      answered = { handled: 0, stored: 0 };
      const report = await reconcile({ source, receiver: passedOn, from: 0, cursor: watched, signal });
      const { to, repaired, stored, left, stopped } = report;
      tell({ reconciled: { to, repaired, stored, left, stopped: stopped?.reason, answered } });
      if (stopped?.error) console.error('reconcile:', stopped.reason, stopped.error.message);
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }
  const running = run();
  // A ConfigError: the process ends with it.
  running.catch((error) => {
    console.error('reconcile:', error);
    process.exit(1);
  });

  return async () => {
    stopping.abort();
    await running;
    await receiver.drain({ timeoutMs: DRAIN_MS });
    if (!pool.ended) await pool.end();
  };
}

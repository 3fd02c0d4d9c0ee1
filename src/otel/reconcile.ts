import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { ReconcileReport } from '../chain/reconcile/report.js';
import { guarded } from './follow.js';

const CHANNEL = 'event-webhook-receiver:reconcile';

function createInstruments(meter: Meter) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`webhook.reconcile.${name}`, { unit, description });
  const gauge = (name: string, unit: string, description: string) =>
    meter.createGauge(`webhook.reconcile.${name}`, { unit, description });
  return {
    runs: counter('runs', '{run}', 'Runs of reconcile, by result.'),
    found: counter('found', '{event}', 'Events that reconcile read.'),
    repaired: counter('repaired', '{event}', 'Events that had not taken effect before reconcile repaired them.'),
    failed: counter('failed', '{event}', 'Events that reconcile passed on and that failed.'),
    left: gauge('left', '{event}', 'Events on the retry list, at the end of the last run.'),
    lag: gauge('lag', '{block}', 'Blocks between the cursor and the last final block, at the end of the last run.'),
  };
}

/** Counts the runs of `reconcile` and repaired events. Returns a function that stops it. */
export function followReconcile(meter: () => Meter): () => void {
  let made: ReturnType<typeof createInstruments> | undefined;

  function record({ source, chainId, stopped, final, to, ...counts }: ReconcileReport): void {
    made ??= createInstruments(meter());
    const attributes: Attributes = { 'webhook.reconcile.source': source };
    if (chainId !== undefined) attributes['webhook.reconcile.chain_id'] = chainId;
    made.runs.add(1, { ...attributes, 'webhook.reconcile.result': stopped?.reason ?? 'complete' });
    for (const name of ['found', 'repaired', 'failed'] as const) made[name].add(counts[name], attributes);
    // Unknown if the run could not read the list.
    if (stopped?.reason !== 'cursor') made.left.record(counts.left, attributes);
    if (final !== undefined) made.lag.record(Math.max(0, final - to), attributes);
  }

  const onReport = (report: unknown) => guarded(() => record(report as ReconcileReport));
  subscribe(CHANNEL, onReport);
  return () => void unsubscribe(CHANNEL, onReport);
}

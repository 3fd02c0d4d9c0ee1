import type { DeliveryLogEntry, Webhook } from 'event-webhook-receiver/client';
import { usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { type EventKind, openService, readId, type ServiceOptions, webhookJson } from '../service.js';
import { visible } from '../visible.js';

type ServiceContext = Context<ServiceOptions>;

const cell = (value: unknown) => visible(String(value ?? ''), 200);

export async function list(context: ServiceContext): Promise<ExitCode> {
  const service = await openService(context);
  const found: Webhook[] = [];
  for await (const webhook of service.list()) found.push(webhook);
  const rows = found.map((each) => [
    each.id,
    each.label,
    each.url,
    each.subscriptions?.join(', '),
    each.failedCalls,
    each.lastError,
  ]);
  const table = textTable([
    ['ID', 'LABEL', 'URL', 'EVENTS', 'FAILED', 'LAST ERROR'],
    ...rows.map((row) => row.map(cell)),
  ]);
  context.output.result({ webhooks: found.map(webhookJson) }, found.length > 0 ? table : 'No webhooks.');
  return 0;
}

export async function get(id: string, context: ServiceContext): Promise<ExitCode> {
  const webhookId = readId(id);
  const service = await openService(context);
  const webhook = await service.get(webhookId);
  context.output.result(webhookJson(webhook), fields(webhook));
  return 0;
}

interface UpdateOptions extends ServiceOptions {
  readonly label?: string | undefined;
  readonly url?: string | undefined;
  readonly subscribe?: readonly EventKind[] | undefined;
}

export async function update(id: string, context: Context<UpdateOptions>): Promise<ExitCode> {
  const { label, url, subscribe } = context.options;
  const webhookId = readId(id);
  if (label === undefined && url === undefined && subscribe === undefined) {
    throw usageError('Nothing to change: give --label, --url or --subscribe.');
  }
  const service = await openService(context);
  const webhook = await service.update(webhookId, { label, url, ...(subscribe && { subscriptions: subscribe }) });
  context.output.result(webhookJson(webhook), fields(webhook));
  return 0;
}

export async function remove(id: string, context: ServiceContext): Promise<ExitCode> {
  const webhookId = readId(id);
  const service = await openService(context);
  await service.remove(webhookId);
  context.output.result({ id: webhookId, removed: true }, `Removed webhook ${webhookId}.`);
  return 0;
}

export async function count(context: ServiceContext): Promise<ExitCode> {
  const service = await openService(context);
  const webhooks = await service.count();
  context.output.result({ count: webhooks }, String(webhooks));
  return 0;
}

interface LogOptions extends ServiceOptions {
  readonly undelivered?: true | undefined;
  readonly limit?: number | undefined;
}

export async function log(id: string, context: Context<LogOptions>): Promise<ExitCode> {
  const { undelivered, limit = Number.POSITIVE_INFINITY } = context.options;
  const { output, signal } = context;
  const webhookId = readId(id);
  const service = await openService(context);
  let shown = 0;
  for await (const entry of service.deliveries(webhookId)) {
    if (signal.aborted || shown >= limit) break;
    if (undelivered && entry.deliveredAt) continue;
    shown++;
    output.result(entry, entryText(entry, output.colors.red));
  }
  if (shown === 0) output.print('No entries.');
  return 0;
}

function entryText({ id, eventType, createdAt, deliveredAt }: DeliveryLogEntry, red: (text: string) => string): string {
  const when = deliveredAt ? `delivered ${cell(deliveredAt)}` : red('not delivered');
  return [String(id).padStart(8), cell(eventType).padEnd(20), cell(createdAt).padEnd(24), when].join('  ');
}

function fields(webhook: Webhook): string {
  const shown = Object.entries(webhookJson(webhook)).filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(...shown.map(([name]) => visible(name).length));
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return shown.map(([name, value]) => `${visible(name).padEnd(width)}  ${visible(text(value))}`).join('\n');
}

/** Columns as wide as their widest cell. */
function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] as number)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

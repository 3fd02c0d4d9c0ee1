import type { DeliveryLogEntry, Webhook } from 'event-webhook-receiver/client';
import { defineCommand } from '../command.js';
import { usageError } from '../command-error.js';
import { openService, readId, serviceFlags, subscribeFlag, webhookJson } from '../service.js';
import { textTable } from '../text-table.js';
import { visible } from '../visible.js';

const id = { name: 'id', required: true, help: 'The id of the webhook' } as const;
const exitCodes = { 1: 'the service said no' } as const;
const cell = (value: unknown) => visible(String(value ?? ''), 200);

export const list = defineCommand({
  name: 'webhooks list',
  summary: 'List the webhooks that are registered',
  arguments: [],
  flags: serviceFlags,
  examples: [
    { run: 'webhooks list --base-url https://service.example', does: 'With the key in WEBHOOK_API_KEY' },
    { run: 'webhooks list --json', does: 'One JSON document, { "webhooks": […] }' },
  ],
  exitCodes,
  async run(context) {
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
    const table = textTable(
      ['ID', 'LABEL', 'URL', 'EVENTS', 'FAILED', 'LAST ERROR'],
      rows.map((row) => row.map(cell)),
    );
    context.output.result({ webhooks: found.map(webhookJson) }, found.length > 0 ? table : 'There are no webhooks.');
    return 0;
  },
});

export const get = defineCommand({
  name: 'webhooks get',
  summary: 'Show one webhook, without its secret',
  arguments: [id],
  flags: serviceFlags,
  examples: [{ run: 'webhooks get 12 --base-url https://service.example', does: 'What the service has of it' }],
  exitCodes,
  async run(context) {
    const webhookId = readId(context.args[0]);
    const service = await openService(context);
    const webhook = await service.get(webhookId);
    context.output.result(webhookJson(webhook), fields(webhook));
    return 0;
  },
});

export const update = defineCommand({
  name: 'webhooks update',
  summary: 'Change the label, the URL or the events of a webhook',
  arguments: [id],
  flags: {
    label: { type: 'text', placeholder: 'label', help: 'Its new label' },
    url: { type: 'text', placeholder: 'url', help: 'Where deliveries go from now on' },
    subscribe: { ...subscribeFlag, help: 'Which events it gets from now on' },
    ...serviceFlags,
  },
  examples: [{ run: 'webhooks update 12 --url https://shop.example/v2/webhooks', does: 'Another URL; all else stays' }],
  exitCodes,
  async run(context) {
    const { label, url, subscribe } = context.flags;
    const webhookId = readId(context.args[0]);
    if (label === undefined && url === undefined && subscribe.length === 0) {
      throw usageError('Say what is to change: --label, --url or --subscribe.');
    }
    const service = await openService(context);
    const subscriptions = subscribe as readonly ('event.emitted' | 'transaction.included')[];
    const webhook = await service.update(webhookId, { label, url, ...(subscribe.length > 0 && { subscriptions }) });
    context.output.result(webhookJson(webhook), fields(webhook));
    return 0;
  },
});

export const remove = defineCommand({
  name: 'webhooks remove',
  summary: 'Remove a webhook: nothing is delivered to it any more',
  arguments: [id],
  flags: serviceFlags,
  examples: [{ run: 'webhooks remove 12', does: 'With WEBHOOK_BASE_URL and WEBHOOK_API_KEY' }],
  exitCodes,
  async run(context) {
    const webhookId = readId(context.args[0]);
    const service = await openService(context);
    await service.remove(webhookId);
    context.output.result({ id: webhookId, removed: true }, `Removed webhook ${webhookId}.`);
    return 0;
  },
});

export const count = defineCommand({
  name: 'webhooks count',
  summary: 'Count the webhooks that are registered',
  arguments: [],
  flags: serviceFlags,
  examples: [{ run: 'webhooks count --json', does: '{ "count": 3 }' }],
  exitCodes,
  async run(context) {
    const service = await openService(context);
    const webhooks = await service.count();
    context.output.result({ count: webhooks }, String(webhooks));
    return 0;
  },
});

export const log = defineCommand({
  name: 'webhooks log',
  summary: 'Show what the service has delivered to a webhook, and what it has not',
  arguments: [id],
  flags: {
    undelivered: { type: 'boolean', help: 'Only what was not delivered' },
    limit: { type: 'number', placeholder: 'n', min: 1, max: 1e9, whole: true, help: 'So many entries at most' },
    ...serviceFlags,
  },
  examples: [
    { run: 'webhooks log 12 --limit 20', does: "Twenty entries, in the service's order" },
    { run: 'webhooks log 12 --undelivered --json', does: 'Whole entries, one JSON document a line' },
  ],
  exitCodes,
  async run(context) {
    const { undelivered, limit = Number.POSITIVE_INFINITY } = context.flags;
    const { output, signal } = context;
    const webhookId = readId(context.args[0]);
    const service = await openService(context);
    let shown = 0;
    for await (const entry of service.deliveries(webhookId)) {
      if (signal.aborted || shown >= limit) break;
      if (undelivered && entry.deliveredAt) continue;
      shown++;
      output.result(entry, entryText(entry, output.colors.red));
    }
    if (shown === 0) output.print('There is nothing in the log.');
    return 0;
  },
});

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

import type { DeliveryLogEntry, Webhook } from 'event-webhook-receiver/client';
import { usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { type MoreHelp, moreHelp } from '../program/help.js';
import { integer, text, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { type EventKind, openService, readId, type ServiceOptions, webhookJson } from '../service.js';
import { fieldsText, textTable } from '../text-table.js';
import { visible } from '../visible.js';

const exitCodes = { 1: 'the service refused' };

export const command: shared.AddCommand = (own, start) => {
  const add = <const Usage extends string>(usage: Usage, does: string, help: MoreHelp) =>
    shared.callsService(own.command(usage).description(does)).addHelpText('after', moreHelp(help));

  add('list', 'List the registered webhooks', {
    examples: [
      ['webhooks list --base-url https://service.example', 'API key from WEBHOOK_API_KEY'],
      ['webhooks list --json', 'One JSON document, { "webhooks": […] }'],
    ],
    exitCodes,
  }).action((options) => start(options, list));

  add('get <id>', 'Show one webhook, without its secret', {
    examples: [['webhooks get 12', 'The webhook with the id 12']],
    exitCodes,
  }).action((id, options) => start(options, (context) => get(id, context)));

  add('update <id>', 'Change the label, the URL or the events of a webhook', {
    examples: [['webhooks update 12 --url https://shop.example/v2/webhooks', 'Change only the URL']],
    exitCodes,
  })
    .addOption(text('--label <label>', 'New label'))
    .addOption(url('--url <url>', 'New URL to deliver to'))
    .addOption(shared.subscribe('New kind of events to deliver'))
    .action((id, options) => start(options, (context) => update(id, context)));

  add('remove <id>', 'Remove a webhook; its deliveries stop', {
    examples: [['webhooks remove 12', 'With WEBHOOK_BASE_URL and WEBHOOK_API_KEY']],
    exitCodes,
  }).action((id, options) => start(options, (context) => remove(id, context)));

  add('log <id>', 'Show the delivery log of a webhook', {
    examples: [
      ['webhooks log 12 --limit 20', "Twenty entries, in the service's order"],
      ['webhooks log 12 --undelivered --json', 'Complete entries, one JSON document a line'],
    ],
    exitCodes,
  })
    .option('--undelivered', 'Only events that were not delivered')
    .addOption(integer('--limit <n>', 'Largest number of entries', 1, 1e9))
    .action((id, options) => start(options, (context) => log(id, context)));
};

type ServiceContext = Context<ServiceOptions>;

const cell = (value: unknown) => visible(String(value ?? ''), 200);

async function list(context: ServiceContext): Promise<ExitCode> {
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

async function get(id: string, context: ServiceContext): Promise<ExitCode> {
  const webhookId = readId(id);
  const service = await openService(context);
  const webhook = await service.get(webhookId);
  context.output.result(webhookJson(webhook), fieldsText(webhookJson(webhook)));
  return 0;
}

interface UpdateOptions extends ServiceOptions {
  readonly label?: string | undefined;
  readonly url?: string | undefined;
  readonly subscribe?: readonly EventKind[] | undefined;
}

async function update(id: string, context: Context<UpdateOptions>): Promise<ExitCode> {
  const { label, url, subscribe } = context.options;
  const webhookId = readId(id);
  if (label === undefined && url === undefined && subscribe === undefined) {
    throw usageError('Nothing to change: give --label, --url or --subscribe.');
  }
  const service = await openService(context);
  const webhook = await service.update(webhookId, { label, url, ...(subscribe && { subscriptions: subscribe }) });
  context.output.result(webhookJson(webhook), fieldsText(webhookJson(webhook)));
  return 0;
}

async function remove(id: string, context: ServiceContext): Promise<ExitCode> {
  const webhookId = readId(id);
  const service = await openService(context);
  await service.remove(webhookId);
  context.output.result({ id: webhookId, removed: true }, `Removed webhook ${webhookId}.`);
  return 0;
}

interface LogOptions extends ServiceOptions {
  readonly undelivered?: true | undefined;
  readonly limit?: number | undefined;
}

async function log(id: string, context: Context<LogOptions>): Promise<ExitCode> {
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

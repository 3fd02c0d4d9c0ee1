import type { DeliveryLogEntry, Webhook } from 'event-webhook-receiver/client';
import { usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { text, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { openService, readId, webhookJson } from '../service.js';
import { fieldsText, textTable } from '../text-table.js';
import { visible } from '../visible.js';

const exitCodes = { 1: 'the service refused' };
const cell = (value: unknown) => visible(String(value ?? ''), 200);

const subcommand = <const Usage extends string>(own: shared.Own, usage: Usage, does: string) =>
  own.command(usage).description(does).addOption(shared.baseUrl).addOption(shared.apiKeyFile);

const list = shared.command(
  (own) => subcommand(own, 'list', 'List the registered webhooks'),
  async (context) => {
    const service = await openService(context);
    const found: Webhook[] = [];
    for await (const webhook of service.list()) found.push(webhook);
    const rows = found.map(({ id, label, url, subscriptions, failedCalls, lastError }) =>
      [id, label, url, subscriptions?.join(', '), failedCalls, lastError].map(cell),
    );
    const table = textTable([['ID', 'LABEL', 'URL', 'EVENTS', 'FAILED', 'LAST ERROR'], ...rows]);
    context.output.result({ webhooks: found.map(webhookJson) }, found.length > 0 ? table : 'No webhooks.');
    return 0;
  },
  {
    examples: [
      ['webhooks list --base-url https://service.example', 'API key from WEBHOOK_API_KEY'],
      ['webhooks list --json', 'One JSON document, { "webhooks": […] }'],
    ],
    exitCodes,
  },
);

function showWebhook(webhook: Webhook, { output }: Context<unknown>): ExitCode {
  output.result(webhookJson(webhook), fieldsText(webhookJson(webhook)));
  return 0;
}

const get = shared.command(
  (own) => subcommand(own, 'get <id>', 'Show one webhook, without its secret'),
  async (context, id) => {
    const webhookId = readId(id);
    const service = await openService(context);
    return showWebhook(await service.get(webhookId), context);
  },
  { examples: [['webhooks get 12', 'The webhook with the id 12']], exitCodes },
);

const update = shared.command(
  (own) =>
    subcommand(own, 'update <id>', 'Change the label or the URL of a webhook')
      .addOption(text('--label <label>', 'New label'))
      .addOption(url('--url <url>', 'New URL to deliver to')),
  async (context, id) => {
    const { label, url } = context.options;
    const webhookId = readId(id);
    if (label === undefined && url === undefined) throw usageError('Nothing to change: give --label or --url.');
    const service = await openService(context);
    return showWebhook(await service.update(webhookId, { label, url }), context);
  },
  {
    examples: [['webhooks update 12 --url https://shop.example/v2/webhooks', 'Change only the URL']],
    exitCodes,
  },
);

const remove = shared.command(
  (own) => subcommand(own, 'remove <id>', 'Remove a webhook; its deliveries stop'),
  async (context, id) => {
    const webhookId = readId(id);
    const service = await openService(context);
    await service.remove(webhookId);
    context.output.result({ id: webhookId, removed: true }, `Removed webhook ${webhookId}.`);
    return 0;
  },
  { examples: [['webhooks remove 12', 'With WEBHOOK_BASE_URL and WEBHOOK_API_KEY']], exitCodes },
);

const log = shared.command(
  (own) =>
    subcommand(own, 'log <id>', 'Show the delivery log of a webhook').option(
      '--undelivered',
      'Only events that were not delivered',
    ),
  async (context, id) => {
    const { options, output, signal } = context;
    const webhookId = readId(id);
    const service = await openService(context);
    let isEmpty = true;
    for await (const entry of service.deliveries(webhookId)) {
      if (signal.aborted) break;
      if (options.undelivered && entry.deliveredAt) continue;
      isEmpty = false;
      output.result(entry, entryText(entry, output.colors.red));
    }
    if (isEmpty) output.print('No entries.');
    return 0;
  },
  {
    examples: [
      ['webhooks log 12', "All entries, in the service's order"],
      ['webhooks log 12 --undelivered --json', 'Complete entries, one JSON document a line'],
    ],
    exitCodes,
  },
);

function entryText({ id, eventType, createdAt, deliveredAt }: DeliveryLogEntry, red: (text: string) => string): string {
  const when = deliveredAt ? `delivered ${cell(deliveredAt)}` : red('not delivered');
  return [String(id).padStart(8), cell(eventType).padEnd(20), cell(createdAt).padEnd(24), when].join('  ');
}

export const command: shared.AddCommand = (own, start) => {
  for (const add of [list, get, update, remove, log]) add(own, start);
};

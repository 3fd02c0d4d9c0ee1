import { moreHelp } from './help.js';
import { integer, text, url } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

type Commands = typeof import('../commands/webhooks.js');

const exitCodes = { 1: 'the service refused' };
const load = async (): Promise<Commands> => await import('../commands/webhooks.js');

export const addWebhooks: AddCommand = (program, start) => {
  const webhooks = program.command('webhooks').description('Manage registered webhooks');

  webhooks
    .command('list')
    .description('List the registered webhooks')
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['webhooks list --base-url https://service.example', 'API key from WEBHOOK_API_KEY'],
          ['webhooks list --json', 'One JSON document, { "webhooks": […] }'],
        ],
        exitCodes,
      }),
    )
    .action((options) => start(options, async (context) => (await load()).list(context)));

  webhooks
    .command('get')
    .description('Show one webhook, without its secret')
    .argument('<id>', 'Id of the webhook')
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText('after', moreHelp({ examples: [['webhooks get 12', 'The webhook with the id 12']], exitCodes }))
    .action((id, options) => start(options, async (context) => (await load()).get(id, context)));

  webhooks
    .command('update')
    .description('Change the label, the URL or the events of a webhook')
    .argument('<id>', 'Id of the webhook')
    .addOption(text('--label <label>', 'New label'))
    .addOption(url('--url <url>', 'New URL to deliver to'))
    .addOption(shared.subscribe('New kind of events to deliver'))
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [['webhooks update 12 --url https://shop.example/v2/webhooks', 'Change only the URL']],
        exitCodes,
      }),
    )
    .action((id, options) => start(options, async (context) => (await load()).update(id, context)));

  webhooks
    .command('remove')
    .description('Remove a webhook; its deliveries stop')
    .argument('<id>', 'Id of the webhook')
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({ examples: [['webhooks remove 12', 'With WEBHOOK_BASE_URL and WEBHOOK_API_KEY']], exitCodes }),
    )
    .action((id, options) => start(options, async (context) => (await load()).remove(id, context)));

  webhooks
    .command('count')
    .description('Count the registered webhooks')
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText('after', moreHelp({ examples: [['webhooks count --json', '{ "count": 3 }']], exitCodes }))
    .action((options) => start(options, async (context) => (await load()).count(context)));

  webhooks
    .command('log')
    .description('Show the delivery log of a webhook')
    .argument('<id>', 'Id of the webhook')
    .option('--undelivered', 'Only events that were not delivered')
    .addOption(integer('--limit <n>', 'Largest number of entries', 1, 1e9))
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['webhooks log 12 --limit 20', "Twenty entries, in the service's order"],
          ['webhooks log 12 --undelivered --json', 'Complete entries, one JSON document a line'],
        ],
        exitCodes,
      }),
    )
    .action((id, options) => start(options, async (context) => (await load()).log(id, context)));
};

import { Option } from '@commander-js/extra-typings';
import { moreHelp } from './help.js';
import { text } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addRegister: AddCommand = (program, start) => {
  program
    .command('register')
    .summary('Register a webhook with the service and get its signing secret')
    .description(
      `Register a webhook with the service and get its signing secret.

The secret is shown only once; the service may never return it again. Store it as WEBHOOK_SECRET of the receiver.`,
    )
    .argument('<url>', 'Where to deliver: an https URL, or a loopback URL if the service runs on this machine')
    .addOption(text('--label <label>', 'Label of the webhook').makeOptionMandatory())
    .addOption(shared.subscribe('Kind of events to deliver (default: both)'))
    .addOption(new Option('--ensure', 'Reuse the webhook with this label if there is one, and set its URL'))
    .addOption(text('--secret-out <file>', 'Write the secret to this new file (mode 0600) instead of printing it'))
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          [
            'register https://shop.example/webhooks --label shop --secret-out shop-secret.txt --base-url https://service.example',
            'API key from WEBHOOK_API_KEY, secret to a file',
          ],
          ['register https://shop.example/webhooks --label shop --ensure --json', 'In a script, at each deployment'],
        ],
        exitCodes: { 1: 'the service refused' },
      }),
    )
    .action((url, options) =>
      start(options, async (context) => await (await import('../commands/register.js')).register(url, context)),
    );
};

import { Option } from '@commander-js/extra-typings';
import type { Webhook } from 'event-webhook-receiver/client';
import type { Context, ExitCode } from '../context.js';
import type { Colors } from '../output.js';
import { text } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { openSecretFile } from '../secret-out.js';
import { openService, webhookJson } from '../service.js';
import { fullUrl } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  shared.callsService(
    own
      .description(
        `${own.summary()}.

The secret is shown only once; the service may never return it again. Store it as WEBHOOK_SECRET of the receiver.`,
      )
      .argument('<url>', 'Where to deliver: an https URL, or a loopback URL if the service runs on this machine')
      .addOption(text('--label <label>', 'Label of the webhook').makeOptionMandatory())
      .addOption(shared.subscribe('Kind of events to deliver (default: both)'))
      .addOption(new Option('--ensure', 'Reuse the webhook with this label if there is one, and set its URL'))
      .addOption(text('--secret-out <file>', 'Write the secret to this new file (mode 0600) instead of printing it')),
  );

type Options = shared.OptionsOf<typeof define>;

async function run(context: Context<Options>, url: string): Promise<ExitCode> {
  const { options, output } = context;
  const { label, subscribe, secretOut } = options;
  const service = await openService(context);
  const file = secretOut === undefined ? undefined : await openSecretFile(secretOut, true);
  const wanted = { label, url: fullUrl(url), ...(subscribe && { subscriptions: subscribe }) };
  try {
    const { webhook, created, updated } = options.ensure
      ? await service.ensure(wanted)
      : { webhook: await service.create(wanted), created: true, updated: false };
    const { id, secret } = webhook;
    const secretFile = secret === undefined ? undefined : secretOut;
    const advice = `Webhook ${id} is registered: remove it with "webhooks remove ${id}", then register it again.`;
    if (secret !== undefined) await file?.write(secret, advice);
    const shown = file || !created ? undefined : secret;
    output.result(
      { ...webhookJson(webhook), created, updated, secret: shown, secretFile },
      [
        `${created ? 'Registered' : updated ? 'Updated' : 'Unchanged:'} webhook ${textOf(webhook, output.colors)}`,
        ...(secretFile === undefined ? [] : [`Its secret is in ${visible(secretFile)}.`]),
        ...(shown === undefined ? [] : ['', `  ${visible(shown)}`, '', SHOWN_ONCE]),
      ].join('\n'),
    );
    if (file && secretFile === undefined)
      output.note('The webhook already exists, so the service does not return its secret. No file was written.');
    return 0;
  } finally {
    await file?.close();
  }
}

const SHOWN_ONCE = 'This is its secret, shown only once: store it now, as WEBHOOK_SECRET of the receiver.';

const textOf = ({ id, label, url }: Webhook, colors: Colors) =>
  `${colors.bold(String(id))}, ${visible(label)}, for ${visible(url)}`;

export const command = shared.command(define, run, {
  examples: [
    [
      'register https://shop.example/webhooks --label shop --secret-out shop-secret.txt --base-url https://service.example',
      'API key from WEBHOOK_API_KEY, secret to a file',
    ],
    ['register https://shop.example/webhooks --label shop --ensure --json', 'In a script, at each deployment'],
  ],
  exitCodes: { 1: 'the service refused' },
});

import { Option } from '@commander-js/extra-typings';
import type { Webhook } from 'event-webhook-receiver/client';
import type { Context, ExitCode } from '../context.js';
import type { Colors } from '../output.js';
import { moreHelp } from '../program/help.js';
import { text } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { createSecretFile } from '../secret-file-out.js';
import { openService, webhookJson } from '../service.js';
import { fullUrl } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  shared
    .callsService(
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
    )
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
    );

type Options = shared.OptionsOf<typeof define>;

async function run(context: Context<Options>, url: string): Promise<ExitCode> {
  const { options, output } = context;
  const { label, subscribe, secretOut } = options;
  const service = await openService(context);
  const file = secretOut === undefined ? undefined : await createSecretFile(secretOut);
  const wanted = { label, url: fullUrl(url), ...(subscribe && { subscriptions: subscribe }) };
  let written = false;
  try {
    const { webhook, created, updated } = options.ensure
      ? await service.ensure(wanted)
      : { webhook: await service.create(wanted), created: true, updated: false };
    const { secret } = webhook;
    if (file && secret !== undefined) {
      await file.write(secret, webhook.id);
      written = true;
    }
    const shown = written || !created ? undefined : secret;
    output.result(
      {
        ...webhookJson(webhook),
        created,
        updated,
        secret: shown,
        secretFile: written ? secretOut : undefined,
      },
      resultText(webhook, {
        created,
        updated,
        shown,
        file: written ? secretOut : undefined,
        colors: output.colors,
      }),
    );
    if (!created && file && !written)
      output.note('The webhook already exists, so the service does not return its secret. No file was written.');
    return 0;
  } finally {
    if (!written) await file?.discard();
  }
}

interface Registered {
  readonly created: boolean;
  readonly updated: boolean;
  readonly shown: string | undefined;
  readonly file: string | undefined;
  readonly colors: Colors;
}

function resultText({ id, label, url }: Webhook, { created, updated, shown, file, colors }: Registered): string {
  const what = created ? 'Registered' : updated ? 'Updated' : 'Unchanged:';
  const lines = [`${what} webhook ${colors.bold(String(id))}, ${visible(label)}, for ${visible(url)}`];
  if (file !== undefined) lines.push(`Its secret is in ${visible(file)}.`);
  if (shown !== undefined) {
    lines.push(
      '',
      `  ${visible(shown)}`,
      '',
      'This is its secret, shown only once: store it now, as WEBHOOK_SECRET of the receiver.',
    );
  }
  return lines.join('\n');
}

export const command = shared.command(define, run);

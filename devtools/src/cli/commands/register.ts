import type { Context, ExitCode } from '../context.js';
import { text } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { openSecretFile } from '../secret-out.js';
import { openService, webhookJson } from '../service.js';
import { fullUrl } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

The secret is shown only once; the service may never return it again. Store it as WEBHOOK_SECRET of the receiver.`,
    )
    .argument('<url>', 'Where to deliver: an https URL, or a loopback URL if the service runs on this machine')
    .addOption(text('--label <label>', 'Label of the webhook').makeOptionMandatory())
    .addOption(text('--secret-out <file>', 'Write the secret to this new file (mode 0600) instead of printing it'))
    .addOption(shared.baseUrl)
    .addOption(shared.apiKeyFile);

type Options = shared.OptionsOf<typeof define>;

async function run(context: Context<Options>, url: string): Promise<ExitCode> {
  const { options, output } = context;
  const { label, secretOut } = options;
  const service = await openService(context);
  const file = secretOut === undefined ? undefined : await openSecretFile(secretOut, true);
  try {
    const webhook = await service.create({ label, url: fullUrl(url) });
    const { id, secret } = webhook;
    const advice = `Webhook ${id} is registered: remove it with "webhooks remove ${id}", then register it again.`;
    await file?.write(secret, advice);
    const head = `Registered webhook ${output.colors.bold(String(id))}, ${visible(webhook.label)}, for ${visible(webhook.url)}`;
    const shown = file
      ? [`Its secret is in ${visible(secretOut as string)}.`]
      : ['', `  ${visible(secret)}`, '', SHOWN_ONCE];
    output.result(
      { ...webhookJson(webhook), secret: file ? undefined : secret, secretFile: secretOut },
      [head, ...shown].join('\n'),
    );
    return 0;
  } finally {
    await file?.close();
  }
}

const SHOWN_ONCE = 'This is its secret, shown only once: store it now, as WEBHOOK_SECRET of the receiver.';

export const command = shared.command(define, run, {
  examples: [
    [
      'register https://shop.example/webhooks --label shop --secret-out shop-secret.txt --base-url https://service.example',
      'API key from WEBHOOK_API_KEY, secret to a file',
    ],
  ],
  exitCodes: { 1: 'the service refused' },
});

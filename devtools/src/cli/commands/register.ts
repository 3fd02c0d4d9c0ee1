import type { Webhook } from 'event-webhook-receiver/client';
import type { Context, ExitCode } from '../context.js';
import type { Colors } from '../output.js';
import { createSecretFile } from '../secret-file-out.js';
import { type EventKind, openService, type ServiceOptions, webhookJson } from '../service.js';
import { fullUrl } from '../urls.js';
import { visible } from '../visible.js';

interface RegisterOptions extends ServiceOptions {
  readonly label: string;
  readonly subscribe?: readonly EventKind[] | undefined;
  readonly ensure?: true | undefined;
  readonly secretOut?: string | undefined;
}

export async function register(url: string, context: Context<RegisterOptions>): Promise<ExitCode> {
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
      text(webhook, {
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

function text({ id, label, url }: Webhook, { created, updated, shown, file, colors }: Registered): string {
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

import type { Webhook } from 'event-webhook-receiver/client';
import { type CommandContext, defineCommand } from '../command.js';
import { usageError } from '../command-error.js';
import { createSecretFile } from '../secret-file-out.js';
import { openService, serviceFlags, subscribeFlag, webhookJson } from '../service.js';
import { visible } from '../visible.js';

const flags = {
  label: { type: 'text', placeholder: 'label', help: 'What the webhook is called' },
  subscribe: { ...subscribeFlag, help: 'Which events it gets (both kinds without it)' },
  ensure: { type: 'boolean', help: 'Take the webhook of that label where there is one, and see that it has this URL' },
  'secret-out': {
    type: 'text',
    placeholder: 'file',
    help: 'Write the secret to this new file (mode 0600), and print it nowhere',
  },
  ...serviceFlags,
} as const;

export const register = defineCommand({
  name: 'register',
  summary: 'Register a webhook with the service, and get its signing secret',
  details: [
    'The secret is shown this once: the service may never give it again. Store it where the receiver finds it, as WEBHOOK_SECRET.',
  ],
  arguments: [
    { name: 'url', required: true, help: 'Where deliveries go: an https URL, or this machine from a service on it' },
  ],
  flags,
  examples: [
    {
      run: 'register https://shop.example/webhooks --label shop --secret-out shop-secret.txt --base-url https://service.example',
      does: 'The key is in WEBHOOK_API_KEY, the secret goes to a file',
    },
    {
      run: 'register https://shop.example/webhooks --label shop --ensure --json',
      does: 'In a script that runs at each deployment',
    },
  ],
  exitCodes: { 1: 'the service said no' },
  async run(context) {
    const { flags, args, output } = context;
    const { label, subscribe } = flags;
    if (label === undefined) throw usageError('register needs --label, which the webhook is found by later.');
    const service = await openService(context);
    const file = flags['secret-out'] === undefined ? undefined : await createSecretFile(flags['secret-out']);
    const wanted = {
      label,
      url: args[0] as string,
      ...(subscribe.length > 0 && { subscriptions: subscribe as Kinds }),
    };
    let written = false;
    try {
      const { webhook, created, updated } = flags.ensure
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
          secretFile: written ? flags['secret-out'] : undefined,
        },
        text(webhook, {
          created,
          updated,
          shown,
          file: written ? flags['secret-out'] : undefined,
          colors: output.colors,
        }),
      );
      if (!created && file && !written)
        output.note('The service does not give the secret of a webhook that is there already: no file was written.');
      return 0;
    } finally {
      if (!written) await file?.discard();
    }
  },
});

type Kinds = readonly ('event.emitted' | 'transaction.included')[];

interface Registered {
  readonly created: boolean;
  readonly updated: boolean;
  readonly shown: string | undefined;
  readonly file: string | undefined;
  readonly colors: CommandContext<typeof flags>['output']['colors'];
}

function text({ id, label, url }: Webhook, { created, updated, shown, file, colors }: Registered): string {
  const what = created ? 'Registered' : updated ? 'Changed' : 'There already, as it should be:';
  const lines = [`${what} webhook ${colors.bold(String(id))}, ${visible(label)}, for ${visible(url)}`];
  if (file !== undefined) lines.push(`Its secret is in ${visible(file)}.`);
  if (shown !== undefined) {
    lines.push(
      '',
      `  ${visible(shown)}`,
      '',
      'This is its secret, shown once: store it now, as WEBHOOK_SECRET of the receiver.',
    );
  }
  return lines.join('\n');
}

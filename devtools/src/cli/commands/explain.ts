import { createExplainer } from '../../confined/explainer.js';
import type { Finding } from '../../explain/finding.js';
import { type CommandContext, defineCommand } from '../command.js';
import { usageError } from '../command-error.js';
import { questionedDelivery } from '../explain/questioned.js';
import { headerFlags, headerNames } from '../header-flags.js';
import type { Colors } from '../output.js';
import { readTime } from '../read-time.js';
import { readSecret, readSecretFile, secretFlags } from '../secrets.js';
import { visible } from '../visible.js';

const flags = {
  recording: { type: 'text', placeholder: 'file', help: 'A delivery of what `listen --record` wrote' },
  nth: {
    type: 'number',
    placeholder: 'n',
    min: 1,
    max: 1e9,
    whole: true,
    help: 'Which delivery of the recording, from 1',
  },
  request: {
    type: 'text',
    placeholder: 'file',
    help: 'A request as it stands on the wire: headers, an empty line, the body',
  },
  'body-file': { type: 'text', placeholder: 'file', help: 'The body alone, byte for byte' },
  signature: { type: 'text', placeholder: 'text', help: 'With --body-file: the signature header as it came' },
  timestamp: { type: 'text', placeholder: 'text', help: 'With --body-file: the timestamp header as it came' },
  now: {
    type: 'text',
    placeholder: 'time',
    help: 'When it came: Unix seconds or ISO 8601. Without it, when it was recorded, or else the present',
  },
  tolerance: {
    type: 'number',
    placeholder: 'seconds',
    min: 0,
    max: 1e9,
    default: 300,
    help: 'How old or how far ahead a delivery may be',
  },
  ...headerFlags,
  'secret-file': { ...secretFlags['secret-file'], multiple: true },
  'other-secret-file': {
    type: 'text',
    placeholder: 'label=file',
    multiple: true,
    help: 'The secret of another webhook, which may have signed it',
  },
} as const;

/** Ctrl+C ends it earlier. */
const LIMITS = { timeMs: 600_000, heapMiB: 2048, memoryMiB: 4096 };

type Context = CommandContext<typeof flags>;

export const explain = defineCommand({
  name: 'explain',
  summary: 'Say why a delivery does not verify, and what to do about it',
  details: [
    'Tries what goes wrong in practice: a body that was parsed and written again, a secret with a line break, a timestamp in milliseconds, and much more. Without --recording, --request or --body-file it reads a request from stdin.',
  ],
  arguments: [],
  flags,
  examples: [
    { run: 'explain --recording deliveries.ndjson --nth 2', does: 'A delivery that listen --record wrote' },
    {
      run: 'explain --body-file body.json --signature 5d41… --timestamp 1700000000 --now 1700000001',
      does: 'A body and its two headers',
    },
    { run: 'explain --request request.txt --headers multibaas', does: 'A request that was saved whole' },
    {
      run: 'explain --recording deliveries.ndjson --secret-file new.txt --secret-file old.txt --other-secret-file orders=orders.txt --json',
      does: 'With every secret that it may have been signed with',
    },
  ],
  exitCodes: { 0: 'the delivery is genuine and fresh', 1: 'a receiver refuses it: the findings say why' },
  async run(context) {
    const { flags, output, signal, now } = context;
    const [secret, otherSecrets] = [await secrets(context), await others(context)];
    const { rawBody, signature, timestamp, at } = await questionedDelivery(flags, headerNames(flags), context);
    const time = flags.now === undefined ? (at ?? now()) : readTime(flags.now, 'now');
    const toleranceSeconds = flags.tolerance;
    const explainer = createExplainer({ limits: LIMITS });
    signal.addEventListener('abort', explainer.close);
    if (signal.aborted) explainer.close();
    const question = { rawBody, signature, timestamp, secret, otherSecrets, now: time, toleranceSeconds };
    const findings = await explainer.explain(question).finally(explainer.close);
    signal.throwIfAborted();
    const genuine = findings.length === 0;
    output.result({ genuine, findings }, genuine ? genuineText(output.colors) : findingsText(findings, output.colors));
    return genuine ? 0 : 1;
  },
});

async function secrets(context: Context): Promise<readonly string[]> {
  const files = context.flags['secret-file'];
  if (files.length === 0) return [await readSecret({ ...context, flags: { 'secret-file': undefined } })];
  const found: string[] = [];
  for (const file of files) found.push(await readSecretFile(context, file, 'secret-file'));
  return found;
}

async function others(context: Context): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  for (const each of context.flags['other-secret-file']) {
    const at = each.indexOf('=');
    if (at < 1 || at === each.length - 1)
      throw usageError('--other-secret-file is LABEL=FILE, such as orders=orders.txt.');
    found.set(each.slice(0, at), await readSecretFile(context, each.slice(at + 1), 'other-secret-file'));
  }
  return Object.fromEntries(found);
}

const genuineText = (colors: Colors) =>
  `${colors.green('Genuine')}: the signature is right, and the timestamp is fresh.`;

function findingsText(findings: readonly Finding[], colors: Colors): string {
  const paint = { certain: colors.red, likely: colors.yellow, possible: colors.dim };
  const one = ({ what, confidence, fix, cause }: Finding, index: number) =>
    `${index + 1}. ${visible(what)} ${paint[confidence](`(${confidence})`)} ${colors.dim(cause)}\n   Fix: ${visible(fix)}`;
  return [`${colors.red('Refused')}, and why:`, ...findings.map(one)].join('\n\n');
}

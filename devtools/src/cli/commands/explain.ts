import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../../confined/explainer.js';
import { diffBodies } from '../../explain/diff-bodies.js';
import type { Finding } from '../../explain/finding.js';
import { inputError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { diffText } from '../explain/diff-text.js';
import { type Questioned, receiverAnswer } from '../explain/receiver-answer.js';
import { parseRequestDump } from '../explain/request-dump.js';
import { headerNames } from '../header-names.js';
import { readInput } from '../input-file.js';
import type { Colors } from '../output.js';
import { text, texts } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { recordedDelivery } from '../recording.js';
import { readSecret, readSecretFile } from '../secrets.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

Tries common mistakes: a body that was parsed and serialized again, a secret with a line break, a timestamp in milliseconds, and many more. Without --recording or --request, a request is read from stdin.`,
    )
    .addOption(text('--recording <file>', 'A delivery of `listen --record`').conflicts('request'))
    .addOption(shared.nth)
    .addOption(text('--request <file>', 'A raw request: headers, an empty line, the body'))
    .addOption(text('--signed <file>', 'The body as it was signed: shows how the received one differs'))
    .addOption(text('--now <time>', 'Time of arrival: Unix seconds or ISO 8601 (default: as recorded, or now)'))
    .addOption(shared.headers)
    .addOption(texts('--secret-file <file>', 'File with a signing secret, - for stdin (default: WEBHOOK_SECRET)'))
    .addOption(texts('--other-secret-file <label=file>', 'Secret of another webhook that may have signed it'));

type Options = shared.OptionsOf<typeof define>;

const MOST_BYTES = 64 * 1024 * 1024;
/** Ctrl+C ends the search earlier. */
const LIMITS = { timeMs: 600_000, heapMiB: 2048 };

async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, signal, now } = context;
  const [secret, otherSecrets] = [await secrets(context), await others(context)];
  const asked = await questioned(context);
  const { at, rawBody, requestHeaders, readBy } = asked;
  const time = options.now === undefined ? (at ?? now()) : readTime(options.now);
  signal.throwIfAborted();
  const explainer = createExplainer({ limits: LIMITS });
  signal.addEventListener('abort', explainer.close);
  const headers = headerNames(options) ?? serviceHeaders;
  const using = { secret, headers, now: time };
  const { refusal, bodyUnread } = await receiverAnswer(asked, using);
  const delivery = { rawBody, requestHeaders, readBy, bodyUnread };
  const signed = options.signed && (await readInput(options.signed, { ...context, maxBytes: MOST_BYTES })).bytes;
  const found = await explainer.explain({ ...delivery, ...using, otherSecrets }).finally(explainer.close);
  signal.throwIfAborted();
  const findings = [...(refusal ? [refusal] : []), ...found].map(asCommand);
  const authentic = findings.length === 0;
  const { colors } = output;
  const text = [authentic ? authenticText(colors) : findingsText(findings, colors)];
  const difference = signed ? diffBodies(signed, rawBody) : undefined;
  if (difference) text.push(diffText(difference, colors));
  output.result({ authentic, findings, difference }, text.join('\n\n'));
  return authentic ? 0 : 1;
}

/** Reads the delivery that the options name; without any, a request from stdin. */
async function questioned({ options, stdin, output }: Context<Options>): Promise<Questioned> {
  const { recording, nth, request } = options;
  if (nth !== undefined && recording === undefined) throw usageError('--nth needs --recording.');
  if (recording !== undefined) {
    const { headers, body, at, method, status } = await recordedDelivery(recording, nth, output);
    return { rawBody: body, requestHeaders: headers, at, method, status, readBy: 'listener' };
  }
  if (request === undefined && (stdin as { isTTY?: boolean }).isTTY) {
    throw usageError('Nothing to explain: give --recording or --request.');
  }
  const { bytes } = await readInput(request ?? '-', { stdin, maxBytes: MOST_BYTES });
  if (bytes.length === 0) throw inputError('The request is empty: it must be headers, an empty line, and the body.');
  const { headers, body, notes, ...others } = parseRequestDump(bytes);
  for (const note of notes) output.note(note);
  return { rawBody: body, requestHeaders: headers, ...others };
}

async function secrets(context: Context<Options>): Promise<readonly string[]> {
  const files = context.options.secretFile ?? [];
  if (files.length === 0) return [await readSecret({ ...context, options: {} })];
  const found: string[] = [];
  for (const file of files) found.push(await readSecretFile(context, file, 'secret-file', context.output.note));
  return found;
}

async function others(context: Context<Options>): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  for (const each of context.options.otherSecretFile ?? []) {
    const at = each.indexOf('=');
    if (at < 1 || at === each.length - 1)
      throw usageError('--other-secret-file must be LABEL=FILE, such as orders=orders.txt.');
    found.set(each.slice(0, at), await readSecretFile(context, each.slice(at + 1), 'other-secret-file'));
  }
  return Object.fromEntries(found);
}

/** Replaces option names of the library with those of this command. */
const asCommand = (finding: Finding): Finding => ({ ...finding, fix: finding.fix.replace('`now`', '--now') });

const authenticText = (colors: Colors) =>
  `${colors.green('Authentic')}: the signature matches and the timestamp is fresh.
If a receiver refused it, its secret, headers, clock or body differ from what was given here.`;

function findingsText(findings: readonly Finding[], colors: Colors): string {
  const paint = { certain: colors.red, likely: colors.yellow, possible: colors.dim };
  const one = ({ what, confidence, fix, cause }: Finding, index: number) =>
    `${index + 1}. ${visible(what)} ${confidence ? paint[confidence](`(${confidence}) `) : ''}${colors.dim(cause)}\n   Fix: ${visible(fix)}`;
  return [`${colors.yellow('Refused')} because:`, ...findings.map(one)].join('\n\n');
}

/** Reads Unix seconds, Unix milliseconds (12 digits or more), or ISO 8601. Returns Unix milliseconds. */
function readTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return text.length < 12 ? Number(text) * 1000 : Number(text);
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usageError('--now must be a time: Unix seconds such as 1700000000, or 2026-01-31T12:00:00Z.');
}

export const command = shared.command(define, run, {
  examples: [
    ['explain --recording deliveries.ndjson --nth 2', 'A delivery that listen --record wrote'],
    ['explain --request request.txt --now 1700000001 --headers multibaas', 'A saved raw request'],
    [
      'explain --recording deliveries.ndjson --secret-file new.txt --secret-file old.txt --other-secret-file orders=orders.txt --json',
      'Every secret that may have signed the delivery',
    ],
  ],
  exitCodes: { 0: 'the delivery is authentic and fresh', 1: 'a receiver refuses it: see the findings' },
});

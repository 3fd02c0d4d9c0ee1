import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { KeptDelivery } from '../../deliveries/feed.js';
import { recordedOf } from '../../deliveries/recorded.js';
import { isLoopback } from '../../guards.js';
import { HttpError } from '../../http.js';
import { startListener } from '../../listener/listener.js';
import { quoted } from '../../page/first-run.js';
import { followTokens, type NodeTokens } from '../anvil/node-tokens.js';
import { usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { createDesk, listening } from '../desk.js';
import { integer, text, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { openRecording } from '../recording-writer.js';
import { readSecret } from '../secrets.js';
import { readUrl, shownUrl } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

Each delivery, on any path, is verified as an app would verify it, printed, and shown on the inspector page.

With --forward, authentic deliveries are forwarded with the same bytes and headers, and the sender receives the target's status, or 503 if the target cannot be reached. With --respond they are answered with a status instead, 503 with Retry-After. Redirects are not followed. Refused deliveries are not forwarded.

Only you can read the file of --record, and links are refused. Deliveries beyond --record-limit are not recorded.

A thread with a time and memory limit finds out why a delivery was refused, so it never delays the next delivery. In a flood of forgeries, some are printed without an explanation and the rest are counted.

The page can resend an authentic delivery to the target: the same bytes, signed with the current time.`,
    )
    .addOption(shared.port('the listener', 3000))
    .addOption(url('--forward <url>', 'Forward authentic deliveries to this URL or port, at their path if it has none'))
    .addOption(integer('--respond <status>', 'Answer authentic deliveries with this status, such as 503', 200, 599))
    .addOption(text('--record <file>', 'Append deliveries to this file, for `replay` and `explain`'))
    .addOption(
      integer(
        '--record-limit <MiB>',
        'Largest size of that file; a quarter is for deliveries that do not verify',
        1,
        1_000_000,
      ).default(64),
    )
    .addOption(url('--rpc <url>', 'Read symbol and decimals of tokens from this node'))
    .addOption(shared.headers)
    .addOption(shared.secretFile);

type Options = shared.OptionsOf<typeof define>;

/** Time limit of the target's answer. */
const FORWARD_TIMEOUT_MS = 30_000;
const MIB = 1024 * 1024;

async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, now } = context;
  const { port, respond, secretFile, record: file } = options;
  const target = options.forward === undefined ? undefined : readUrl(options.forward, '--forward');
  if (target && isOwn(target, port))
    throw usageError('--forward must be the URL of your app: this one leads back to this command.');
  const rpcUrl = options.rpc === undefined ? undefined : readUrl(options.rpc, '--rpc');
  let tokens: NodeTokens | undefined;
  const desk = createDesk(context, {
    contracts: () => tokens?.contracts ?? new Map(),
    known: async () => tokens?.known(),
  });
  const { feed, headers } = desk;
  const secret = await readSecret(context);
  const recording =
    file === undefined ? undefined : await openRecording(file, { output, limit: options.recordLimit * MIB });
  const keepsPath = target?.pathname === '/' && target.search === '';
  const forwardedTo = target && (keepsPath ? target.origin : shownUrl(target));
  desk.closeLater(async () => recording?.close());
  tokens = rpcUrl && followTokens({ rpcUrl, feed, output, onChange: desk.stateChanged });
  if (tokens) desk.closeLater(tokens.close);
  const printer = desk.startPrinting({
    forwardedTo: keepsPath ? undefined : forwardedTo,
    secretOf: () => secret,
  });

  try {
    const listener = await listening(port, () =>
      startListener({
        ...{ feed, secret, headers, respond, port, target, now },
        forwardTimeoutMs: FORWARD_TIMEOUT_MS,
        lastNumber: recording?.lastNumber,
        onDelivery(record, request) {
          void recording?.write(recordedOf(record, request));
          // Printed after the sender has its answer.
          printer.print(record.id);
        },
        onOther: ({ method, path, status }) =>
          printer.note(`${method} ${visible(path, 200)}: not a POST, answered with ${status}.`),
      }),
    );
    desk.closeLater(() => listener.close());
    async function resend(record: KeptDelivery): Promise<{ id: string }> {
      if (target === undefined) throw new HttpError(409, 'There is no app to resend to: start with --forward.');
      const resent = await listener.resend(record);
      printer.print(resent.id);
      return resent;
    }
    /** Sends a sample to this listener, on the path that the first receiver of a project has. */
    async function sample(): Promise<object> {
      const { rawBody: body, headers: lines } = createTestDelivery([sampleEventEmitted()], { secret, headers });
      const response = await fetch(`${listener.url}/webhooks`, { method: 'POST', body, headers: lines });
      return { status: response.status };
    }
    const fromFile = secretFile === undefined || secretFile === '-' ? '' : ` --secret-file ${quoted(secretFile)}`;
    const sendCommand = `npx event-webhooks send ${listener.url}/webhooks${fromFile}`;
    const page = await desk.servePage({
      mode: 'listen',
      url: listener.url,
      secretFile,
      actions: {
        ...(target && { resend, send: listener.send }),
        sample,
        respond(status) {
          listener.respond = status;
          output.note(
            status === undefined ? 'Answers are no longer forced.' : `Authentic deliveries are answered ${status}.`,
          );
        },
      },
      state: () => ({ target: forwardedTo, sendCommand, respond: listener.respond, chain: tokens?.view() }),
    });
    const lines = [`Listening at ${listener.url}/ (any path)`];
    if (respond !== undefined) lines.push(`Authentic deliveries are answered ${respond} and not forwarded`);
    else if (target) lines.push(`Forwarding to ${forwardedTo}${keepsPath ? ', to the path of each delivery' : ''}`);
    lines.push(`Send a sample: ${sendCommand}`, `Page: ${page}`);
    output.result({ listening: { url: listener.url, forward: forwardedTo, page } }, lines.join('\n'));
    await desk.untilStopped({ resend });
  } finally {
    await desk.end(file);
  }
  return 0;
}

function isOwn({ hostname, port, protocol }: URL, own: number): boolean {
  return isLoopback(hostname) && Number(port || (protocol === 'https:' ? 443 : 80)) === own;
}

export const command = shared.command(define, run, {
  examples: [
    ['listen', 'Listen at http://127.0.0.1:3000/, any path'],
    ['listen --port 4100 --forward 3000', 'Watch what your app receives on port 3000, at the path of each delivery'],
    ['listen --record deliveries.ndjson', 'Record deliveries'],
  ],
  exitCodes: { 0: 'never: the command runs until it is stopped' },
});

import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../../confined/explainer.js';
import { createFeed, type KeptDelivery } from '../../deliveries/feed.js';
import { verdictOf } from '../../deliveries/verdict.js';
import { lastOf } from '../../deliveries/views.js';
import { isLoopback } from '../../guards.js';
import { type ListenerOptions, startListener } from '../../listener/listener.js';
import { readFirstRun } from '../../page/first-run.js';
import { PageError } from '../../page/page-guard.js';
import { type PageOptions, type ServedPage, servePage } from '../../page/serve-page.js';
import { readExplorer } from '../anvil/explorer.js';
import { followTokens } from '../anvil/node-tokens.js';
import { usageError } from '../command-error.js';
import { type Context, type ExitCode, untilAborted } from '../context.js';
import { createPrinter } from '../delivery-printer.js';
import { headerNames } from '../header-names.js';
import { listening } from '../listening.js';
import { createOthers } from '../others.js';
import { deliveryStyle } from '../printed-delivery.js';
import { moreHelp } from '../program/help.js';
import { integer, number, text, url } from '../program/options.js';
import type { AddCommand, OptionsOf, Own } from '../program/shared-options.js';
import * as shared from '../program/shared-options.js';
import { openRecording } from '../recording-writer.js';
import { readSecret } from '../secrets.js';
import { startInteractive } from '../terminal/interactive.js';
import { createLineFilter } from '../terminal/line-filter.js';
import { readUrl, shownUrl } from '../urls.js';
import { version } from '../version.js';
import { visible } from '../visible.js';

const define = (command: Own) =>
  command
    .description(
      `${command.summary()}.

Each delivery, on any path, is verified as an app would verify it, printed, and shown on the inspector page.

With --forward, authentic deliveries are forwarded with the same bytes and headers, and the sender receives the target's status, or 503 if the target cannot be reached. Redirects are not followed. Refused deliveries are not forwarded.

A thread with a time and memory limit finds out why a delivery was refused, so it never delays the next delivery. In a flood of forgeries, some are printed without an explanation and the rest are counted.

The page can resend an authentic delivery to the target: the same bytes, signed with the current time.`,
    )
    .addOption(shared.port('the listener').default(3000))
    .addOption(shared.host('the listener'))
    .addOption(url('--forward <url>', 'Forward authentic deliveries to this URL, or port, and relay its status'))
    .addOption(number('--forward-timeout <seconds>', 'Time limit of the target', 0.1, 600).default(30))
    .addOption(
      integer(
        '--respond <status>',
        'Answer authentic deliveries with this status instead of forwarding them, such as 503 (with Retry-After) to see retries',
        200,
        599,
      ),
    )
    .addOption(
      text(
        '--record <file>',
        'Append every delivery to this file, for `replay` and `explain`. Only you can read the file; links are refused',
      ),
    )
    .addOption(
      integer(
        '--record-limit <MiB>',
        'Largest size of that file: three quarters for authentic deliveries, a quarter for others. Deliveries beyond it are not recorded',
        1,
        1_000_000,
      ).default(64),
    )
    .addOption(shared.tolerance())
    .addOption(shared.events())
    .addOption(shared.filter())
    .addOption(url('--rpc <url>', 'Read symbol and decimals of tokens from this node'))
    .addOption(shared.explorer())
    .addOption(shared.noPage())
    .addOption(shared.pagePort())
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(shared.secretFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['listen', 'Listen at http://127.0.0.1:3000/, any path'],
          ['listen --port 4100 --forward localhost:3000/webhooks', 'Watch what your app receives'],
          ['listen --record deliveries.ndjson --no-page', 'Record deliveries'],
        ],
        exitCodes: { 0: 'never: the command runs until it is stopped' },
      }),
    );

type Options = OptionsOf<typeof define>;

export const listen: AddCommand = (command, start) => define(command).action((options) => start(options, run));

async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, env, stdin, signal, now } = context;
  const headers = headerNames(options) ?? serviceHeaders;
  const target = options.forward === undefined ? undefined : readUrl(options.forward, '--forward');
  if (target && isOwn(target, options.port))
    throw usageError('--forward must be the URL of your app: this one leads back to this command.');
  const rpcUrl = options.rpc === undefined ? undefined : readUrl(options.rpc, '--rpc');
  const explorer = readExplorer(options.explorer);
  if (explorer !== undefined && rpcUrl === undefined) throw usageError('--explorer needs --rpc.');
  const secret = await readSecret({ options, env, stdin, output });
  const limit = options.recordLimit * 1024 * 1024;
  const recording = options.record === undefined ? undefined : await openRecording(options.record, { output, limit });
  const shown = target && shownUrl(target);
  const feed = createFeed();
  const sources = { headers, toleranceSeconds: options.tolerance, forwardedTo: shown, secretOf: () => secret };
  const closing: (() => Promise<void>)[] = [async () => recording?.close()];
  const explainer = createExplainer();
  let page: ServedPage | undefined;
  const tokens =
    rpcUrl && followTokens({ ...{ rpcUrl, feed, output, explorer }, onChange: () => page?.stateChanged() });
  if (tokens) closing.unshift(tokens.close);
  const contracts = () => tokens?.contracts ?? new Map();
  const style = options.events ? (await import('../event-lines.js')).eventStyle(contracts) : deliveryStyle;
  const filter = createLineFilter(options.filter, contracts);
  const printer = createPrinter({ feed, sources, explainer, output, style, filter, contracts, known: tokens?.known });
  const others = createOthers(output);

  const on: Pick<ListenerOptions, 'onDelivery' | 'onOther'> = {
    onDelivery(record, { method, path }) {
      const { at, headers, status } = lastOf(record);
      const verdict = verdictOf(lastOf(record));
      const authentic = record.verified === true;
      void recording?.write({ at, method, path, headers, body: record.rawBody, status, verdict, authentic });
      // After the sender has its answer.
      printer.print(record.id);
    },
    onOther: ({ method, path, status }) =>
      others.note(`${method} ${visible(path, 200)}: not a POST, answered with ${status}.`),
  };

  const quit = new AbortController();

  try {
    const { port, host } = options;
    const receiving = {
      feed,
      secret,
      headers,
      toleranceSeconds: options.tolerance,
      forwardTimeoutMs: options.forwardTimeout * 1000,
      respond: options.respond,
    };
    const listener = await listening('port', port, () =>
      startListener({ ...receiving, ...on, port, host, target, now }),
    );
    closing.unshift(() => listener.close());
    const { secretFile } = options;
    const firstRun = target ? undefined : await readFirstRun({ directory: process.cwd(), secretFile });
    async function resend(record: KeptDelivery): Promise<{ id: string }> {
      if (target === undefined) throw new PageError(409, 'There is no app to resend to: start with --forward.');
      const resent = await listener.resend(record);
      printer.print(resent.id);
      return resent;
    }
    const shownVersion = version();
    function respond(status: number | undefined): void {
      listener.respond = status;
      output.note(
        status === undefined ? 'Answers are no longer forced.' : `Authentic deliveries are answered ${status}.`,
      );
    }
    const state = () => ({
      mode: 'listen' as const,
      title: `Listening at ${listener.url}`,
      version: shownVersion,
      service: { url: listener.url },
      target: shown,
      headers,
      firstRun,
      respond: listener.respond,
      chain: tokens?.view(),
    });
    const pageOptions: PageOptions = {
      ...{ ...sources, feed, explainer, contracts, state, port: options.pagePort },
      actions: { ...(target && { resend, send: listener.send }), respond },
    };
    if (options.page) page = await listening('page-port', options.pagePort, () => servePage(pageOptions));
    if (page) closing.unshift(page.close);
    if (!isLoopback(host)) output.note(`Anyone who can reach ${host} can send to this port.`);
    const lines = [`Listening at ${listener.url}/ (any path)`];
    if (options.respond !== undefined)
      lines.push(`Authentic deliveries are answered ${options.respond} and not forwarded`);
    else if (target) lines.push(`Forwarding to ${shown}`);
    if (page) lines.push(`Page: ${page.address}`);
    output.result({ listening: { url: listener.url, forward: shown, page: page?.address } }, lines.join('\n'));
    if (filter.text !== '') output.note(`Only deliveries that contain "${filter.text}" are printed.`);
    const giveBack = startInteractive({
      ...{ context, feed, filter, printer, resend, page: page?.address },
      quit: () => quit.abort(),
    });
    closing.unshift(giveBack);
    await Promise.race([untilAborted(signal), untilAborted(quit.signal)]);
  } finally {
    explainer.close();
    for (const close of closing) await close();
    await printer.done();
    others.done();
  }
  return 0;
}

function isOwn({ hostname, port, protocol }: URL, own: number): boolean {
  return isLoopback(hostname) && Number(port || (protocol === 'https:' ? 443 : 80)) === own;
}

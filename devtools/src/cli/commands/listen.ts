import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../../confined/explainer.js';
import { type ListenerOptions, startListener } from '../../listener/listener.js';
import { createFeed } from '../../page/feed.js';
import { servePage } from '../../page/serve-page.js';
import { lastOf, verdictOf } from '../../page/views.js';
import { isLoopback } from '../../service/registration.js';
import { defineCommand, untilAborted } from '../command.js';
import { usageError } from '../command-error.js';
import { createPrinter } from '../delivery-printer.js';
import { headerFlags, headerNames } from '../header-flags.js';
import { createOthers } from '../others.js';
import { listening, pageFlags } from '../ports.js';
import { openRecording } from '../recording-writer.js';
import { readSecret, secretFlags } from '../secrets.js';
import { readUrl, shownUrl } from '../urls.js';
import { visible } from '../visible.js';

export const listen = defineCommand({
  name: 'listen',
  summary: 'Receive deliveries, verify them, and print and show what comes',
  details: [
    'Every delivery is verified as an app would verify it, printed, and shown on the page whose address is printed. Any path will do.',
    'With --forward, genuine deliveries are sent on with the same bytes and headers, and the sender is answered what the target answers: 503 when it cannot be reached. Redirects are not followed, and refused deliveries are not sent on.',
    'Why a delivery was refused is found out in a separate process, with a time and a memory limit: it never delays the next delivery. Of a flood of forgeries, some are printed without an explanation and the rest are counted.',
    'The page can send a genuine delivery to the target again. Its bytes are the same; it is signed afresh, as its timestamp would be refused by then.',
  ],
  arguments: [],
  flags: {
    port: {
      type: 'number',
      placeholder: 'port',
      min: 0,
      max: 65535,
      whole: true,
      default: 3000,
      help: 'Port to listen on; 0 for a free one',
    },
    host: {
      type: 'text',
      placeholder: 'address',
      default: '127.0.0.1',
      help: 'Address to listen on. 0.0.0.0 lets other machines in',
    },
    forward: {
      type: 'text',
      placeholder: 'url',
      help: 'Send genuine deliveries on to this URL and answer what it answers',
    },
    'forward-timeout': {
      type: 'number',
      placeholder: 'seconds',
      min: 0.1,
      max: 600,
      default: 30,
      help: 'How long the target may take to answer',
    },
    record: {
      type: 'text',
      placeholder: 'file',
      help: 'Add every delivery to this file, for `send --recording` and `explain`. Only you may read it; links are refused',
    },
    'record-limit': {
      type: 'number',
      placeholder: 'MiB',
      min: 1,
      max: 1_000_000,
      whole: true,
      default: 64,
      help: 'Size of that file: three quarters for genuine deliveries, a quarter for all others. What has no room is not recorded',
    },
    tolerance: {
      type: 'number',
      placeholder: 'seconds',
      min: 0,
      max: 10 ** 9,
      default: 300,
      help: 'How far a timestamp may be off the clock',
    },
    ...pageFlags,
    ...headerFlags,
    ...secretFlags,
  },
  examples: [
    { run: 'listen', does: 'Wait for deliveries at http://127.0.0.1:3000/, any path' },
    { run: 'listen --port 4100 --forward http://localhost:3000/webhooks', does: 'Look on as your app receives' },
    { run: 'listen --record deliveries.ndjson --no-page', does: 'Record them' },
  ],
  exitCodes: { 0: 'never: it runs until it is ended' },
  async run({ flags, output, env, stdin, signal, now }) {
    const headers = headerNames(flags) ?? serviceHeaders;
    const target = flags.forward === undefined ? undefined : readUrl(flags.forward, '--forward');
    if (target && isOwn(target, flags.port))
      throw usageError('--forward leads back to this command: give the URL of your app.');
    const secret = await readSecret({ flags, env, stdin, output });
    const limit = flags['record-limit'] * 1024 * 1024;
    const recording = flags.record === undefined ? undefined : await openRecording(flags.record, { output, limit });
    const shown = target && shownUrl(target);
    const feed = createFeed();
    const sources = { headers, toleranceSeconds: flags.tolerance, secretOf: () => secret };
    const closing: (() => Promise<void>)[] = [async () => recording?.close()];
    const explainer = createExplainer();
    const printer = createPrinter({ feed, sources, explainer, output });
    const others = createOthers(output);

    const on: Pick<ListenerOptions, 'onDelivery' | 'onOther'> = {
      onDelivery(record, { method, path }) {
        const { at, headers, status } = lastOf(record);
        const verdict = verdictOf(lastOf(record));
        const genuine = record.verified === true;
        void recording?.write({ at, method, path, headers, body: record.rawBody, status, verdict, genuine });
        // Not before the sender has its answer.
        printer.print(record.id);
      },
      onOther: ({ method, path, status }) =>
        others.note(`${method} ${visible(path, 200)}: answered ${status}, as it is not a POST.`),
    };

    try {
      const { port, host } = flags;
      const options = {
        feed,
        secret,
        headers,
        toleranceSeconds: flags.tolerance,
        forwardTimeoutMs: flags['forward-timeout'] * 1000,
      };
      const listener = await listening('port', port, () =>
        startListener({ ...options, ...on, port, host, target, now }),
      );
      closing.unshift(() => listener.close());
      const state = () => ({
        mode: 'listen' as const,
        title: `Listening at ${listener.url}`,
        service: { url: listener.url },
        target: shown,
        headers,
      });
      const page =
        flags.page === false
          ? undefined
          : await listening('page-port', flags['page-port'], () =>
              servePage({
                ...sources,
                ...{ feed, explainer, state },
                port: flags['page-port'],
                actions: target ? { resend: listener.resend } : {},
              }),
            );
      if (page) closing.unshift(() => page.close());
      if (!isLoopback(host)) output.note(`Whoever reaches ${host} can send to this port.`);
      const lines = [`Listening at ${listener.url}/ (any path)`];
      if (target) lines.push(`Forwarding to ${shown}`);
      if (page) lines.push(`Page: ${page.address}`);
      output.result({ listening: { url: listener.url, forward: shown, page: page?.address } }, lines.join('\n'));
      await untilAborted(signal);
    } finally {
      explainer.close();
      for (const close of closing) await close();
      await printer.done();
      others.done();
    }
    return 0;
  },
});

function isOwn({ hostname, port, protocol }: URL, own: number): boolean {
  return isLoopback(hostname) && Number(port || (protocol === 'https:' ? 443 : 80)) === own;
}

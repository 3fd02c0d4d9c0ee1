import { serviceHeaders } from '../../headers.js';
import { itemsOf } from '../../workbench/contents.js';
import { createFeed } from '../../workbench/feed.js';
import { findingsOf } from '../../workbench/findings.js';
import { type ListenerOptions, startListener } from '../../workbench/listener.js';
import type { DeliveryRecord } from '../../workbench/record.js';
import { servePage } from '../../workbench/serve-page.js';
import { lastOf, summaryOf, verdictOf } from '../../workbench/views.js';
import { defineCommand, untilAborted } from '../command.js';
import { usageError } from '../command-error.js';
import { deliveryText, refusalText } from '../delivery-text.js';
import { headerFlags, headerNames } from '../header-flags.js';
import { listening, pageFlags } from '../ports.js';
import { openRecorder } from '../recorder.js';
import { readSecret, secretFlags } from '../secrets.js';
import { visible } from '../visible.js';

/** Refused deliveries that wait to be explained; what comes beyond them is printed without. */
const MOST_WAITING = 20;

export const listen = defineCommand({
  name: 'listen',
  summary: 'Receive deliveries, verify them, and print and show what comes',
  details: [
    'Every delivery is verified as an app would verify it, printed, and shown on the page whose address is printed. Any path will do.',
    'With --forward, genuine deliveries are sent on with the same bytes and headers, and the sender is answered what the target answers: 503 when it cannot be reached. Redirects are not followed, and refused deliveries are not sent on.',
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
      help: 'Add every delivery to this file, for `send --recorded` and `explain`',
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
    const target = targetOf(flags.forward);
    if (target && isOwn(target, flags.port))
      throw usageError('--forward leads back to this command: give the URL of your app.');
    const secret = await readSecret({ flags, env, stdin, output });
    const recorder =
      flags.record === undefined
        ? undefined
        : await openRecorder(flags.record, (reason) => output.note(`Recording has ended: ${reason}.`));
    const feed = createFeed();
    const sources = { headers, toleranceSeconds: flags.tolerance, secretOf: () => secret };
    const closing: (() => Promise<void>)[] = [async () => recorder?.close()];
    let printing = Promise.resolve();
    let waiting = 0;

    async function show(record: DeliveryRecord, explained: boolean): Promise<void> {
      const kept = feed.get(record.id);
      if (kept === undefined) return;
      const summary = summaryOf(kept);
      const items = itemsOf(kept.rawBody);
      const findings = explained ? await findingsOf(kept, sources) : [];
      const { reason } = lastOf(kept);
      const text = [deliveryText(summary, items, output), ...refusalText(reason, findings[0], output.colors)];
      output.result({ delivery: { ...summary, reason, findings } }, text.join('\n'));
    }

    const on: Pick<ListenerOptions, 'onDelivery' | 'onOther'> = {
      onDelivery(record, { method, path }) {
        const { at, headers, status } = lastOf(record);
        const verdict = verdictOf(lastOf(record));
        recorder?.record({ at, method, path, headers, body: record.rawBody, status, verdict });
        // Explaining takes its time: the sender has its answer by now, and a flood is not explained.
        const explained = waiting < MOST_WAITING;
        waiting++;
        printing = printing
          .then(() => show(record, explained))
          .catch(() => output.note('A delivery could not be printed.'))
          .finally(() => waiting--);
      },
      onOther: ({ method, path, status }) =>
        output.note(`${method} ${visible(path, 200)}: answered ${status}, as it is no POST.`),
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
        target: target?.href,
        headers,
      });
      const page =
        flags.page === false
          ? undefined
          : await listening('page-port', flags['page-port'], () =>
              servePage({
                ...sources,
                feed,
                state,
                port: flags['page-port'],
                actions: target ? { resend: listener.resend } : {},
              }),
            );
      if (page) closing.unshift(() => page.close());
      if (!isLoopback(host)) output.note(`Whoever reaches ${host} can send to this port.`);
      const lines = [`Listening at ${listener.url}/ (any path)`];
      if (target) lines.push(`Forwarding to ${target.href}`);
      if (page) lines.push(`Page: ${page.address}`);
      output.result({ listening: { url: listener.url, forward: target?.href, page: page?.address } }, lines.join('\n'));
      await untilAborted(signal);
    } finally {
      for (const close of closing) await close();
      await printing;
    }
    return 0;
  },
});

function targetOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw usageError('--forward takes a URL that starts with http:// or https://.');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isOwn({ hostname, port, protocol }: URL, own: number): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) && Number(port || (protocol === 'https:' ? 443 : 80)) === own;
}

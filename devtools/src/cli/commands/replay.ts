import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TIMER_MS } from '../../check-options.js';
import type { Context, ExitCode } from '../context.js';
import { headerNames } from '../header-names.js';
import { number } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { readSecret } from '../secrets.js';
import { deliverAll, type Job } from '../send/deliver-all.js';
import { recordedParcels } from '../send/parcels.js';
import { readUrl } from '../urls.js';

const define = (own: shared.Own) =>
  own
    .description(
      `Send the deliveries that \`listen --record\` wrote again: the same bytes and headers, in order, with the time between them.

Each delivery is signed with the current time when it is sent. Redirects are not followed.`,
    )
    .argument('<recording>', 'The recording')
    .argument('[url]', `URL of the receiver (default: ${shared.DEFAULT_URL})`)
    .addOption(shared.nth)
    .option('--authentic', 'Leave out deliveries that did not verify when they were recorded')
    .addOption(number('--speed <factor>', 'Shorten the gaps by this factor', 0.01, 1_000_000).default(1))
    .addOption(shared.concurrency)
    .addOption(shared.timeout)
    .addOption(shared.headers)
    .addOption(shared.secretFile);

type Options = shared.OptionsOf<typeof define>;

/** Shorter gaps are not announced. */
const ANNOUNCED_MS = 10_000;

async function run(context: Context<Options>, file: string, to = shared.DEFAULT_URL): Promise<ExitCode> {
  const { nth } = context.options;
  const url = readUrl(to, 'The receiver');
  const secret = await readSecret(context);
  const sending = { url, secret, total: nth === undefined ? undefined : 1, mustRefuse: false };
  return await deliverAll(jobs(file, context), sending, context);
}

/** Yields each delivery of the recording when it is due. Ends when the command is stopped. */
async function* jobs(file: string, { options, output, signal }: Context<Options>): AsyncGenerator<Job> {
  const { nth, speed, authentic } = options;
  const names = headerNames(options);
  let newlySigned = 0;
  let last: { readonly recordedAt: number; readonly due: number } | undefined;

  /** Keeps the gap to the delivery before. A delay is not caught up by a burst. */
  async function wait(recordedAt: number): Promise<void> {
    const now = performance.now();
    const gapMs = last === undefined ? 0 : Math.max(0, recordedAt - last.recordedAt) / speed;
    const due = Math.max(now, (last?.due ?? now) + gapMs);
    last = { recordedAt: Math.max(recordedAt, last?.recordedAt ?? 0), due };
    if (due - now >= ANNOUNCED_MS)
      output.note(`The next delivery is due in ${Math.round((due - now) / 1000)} s. --speed shortens the gaps.`);
    await sleep(Math.min(due - now, MAX_TIMER_MS), undefined, { signal }).catch(() => {});
  }

  for await (const { recorded, ...unsigned } of recordedParcels(file, { nth, names, output })) {
    if (authentic && !recorded.authentic) continue;
    await wait(recorded.at);
    if (signal.aborted) return;
    if (!recorded.authentic) newlySigned++;
    yield { number: recorded.number, unsigned };
  }
  if (newlySigned > 0)
    output.note(
      `${newlySigned} of them did not verify when recorded, and now carry your signature. --authentic leaves such deliveries out.`,
    );
}

export const command = shared.command(define, run, {
  examples: [
    ['replay deliveries.ndjson', `Every delivery, to ${shared.DEFAULT_URL}`],
    ['replay deliveries.ndjson http://127.0.0.1:8080/hooks --speed 60', 'An hour in a minute'],
    ['replay deliveries.ndjson --nth 2', 'One delivery, by its number'],
  ],
  exitCodes: {
    0: 'every delivery was answered with 2xx',
    1: 'a delivery was answered otherwise, or not in time',
    2: 'wrong usage, bad input, or nothing listens at the URL',
  },
});

import type { Context, ExitCode } from '../context.js';
import { editBody } from '../edit/edit-json.js';
import { type EditOptions, readEdits } from '../edit/read-edits.js';
import { type HeaderOptions, headerNames } from '../header-names.js';
import { readSecret, type SecretOptions } from '../secrets.js';
import { deliverAll, type Job } from '../send/deliver-all.js';
import { createPace } from '../send/pace.js';
import { recordedParcels } from '../send/parcels.js';
import { readUrl } from '../urls.js';

/** Shorter gaps are not announced. */
const ANNOUNCED_MS = 10_000;

interface ReplayOptions extends HeaderOptions, SecretOptions, EditOptions {
  readonly nth?: number | undefined;
  readonly asRecorded?: true | undefined;
  readonly authentic?: true | undefined;
  readonly speed: number;
  readonly gaps: boolean;
  readonly concurrency: number;
  /** Seconds. */
  readonly timeout: number;
}

type ReplayContext = Context<ReplayOptions>;

export async function replay(file: string, to: string, context: ReplayContext): Promise<ExitCode> {
  const { nth, asRecorded } = context.options;
  const url = readUrl(to, 'The receiver');
  const secret = asRecorded ? undefined : await readSecret(context);
  const sending = { url, secret, total: nth === undefined ? undefined : 1, tampered: false };
  return await deliverAll(jobs(file, context), sending, context);
}

/** The deliveries of the recording, each when it is due. Ends when the command is stopped. */
async function* jobs(file: string, { options, output, signal }: ReplayContext): AsyncGenerator<Job> {
  const { nth, speed, gaps, asRecorded, authentic } = options;
  const names = headerNames(options);
  const edits = readEdits(options);
  const announce = (ms: number) => {
    if (ms >= ANNOUNCED_MS)
      output.note(
        `The next delivery is due in ${Math.round(ms / 1000)} s. --speed shortens gaps, --no-gaps skips them.`,
      );
  };
  const due = createPace({ speed, signal, announce });
  let newlySigned = 0;
  for await (const { recorded, ...unsigned } of recordedParcels(file, { nth, names, output })) {
    if (authentic && !recorded.authentic) continue;
    const body = editBody(unsigned.body, edits);
    if (gaps) await due(recorded.at);
    if (signal.aborted) return;
    if (!asRecorded && !recorded.authentic) newlySigned++;
    yield { unsigned: { ...unsigned, body, headers: asRecorded ? recorded.headers : unsigned.headers } };
  }
  if (newlySigned > 0)
    output.note(
      `${newlySigned} of them did not verify when recorded, and now carry your signature. --authentic leaves such deliveries out.`,
    );
}

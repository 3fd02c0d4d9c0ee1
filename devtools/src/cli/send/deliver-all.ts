import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import pMap, { pMapSkip } from 'p-map';
import { createColors } from 'picocolors';
import { verdictOf } from '../../deliveries/verdict.js';
import { type Parcel, post } from '../../post.js';
import type { Context, ExitCode } from '../context.js';
import { countsText } from '../delivery-text.js';
import { createProgress } from '../progress.js';
import { shownUrl, unreachable } from '../urls.js';
import type { Unsigned } from './parcels.js';
import { createTally, deliveryJson, type SentLine, sentText, summaryJson, summaryText } from './report.js';
import { signParts, type TamperName, tampered } from './tamper.js';

/** Beyond this number of deliveries, a terminal shows progress instead of a line for each. */
const LINES_UP_TO = 20;
const PLAIN = createColors(false);

/** One delivery to send. */
export interface Job {
  readonly unsigned: Unsigned;
  /** The number of a recorded delivery. (Default: counted from 1.) */
  readonly number?: number | undefined;
  /** How the delivery is tampered with; undefined if it is intact. */
  readonly tamper?: TamperName | undefined;
}

/** Where and how deliveries are sent. */
export interface Sending {
  readonly url: URL;
  readonly secret: string;
  /** Number of deliveries, if known. */
  readonly total: number | undefined;
  /** Whether deliveries are tampered with, so that the receiver must refuse them. */
  readonly mustRefuse: boolean;
}

interface DeliverOptions {
  readonly concurrency: number;
  /** Seconds. */
  readonly timeout: number;
}

/** Signs or tampers with a delivery at the current second. */
function parcelOf({ unsigned, tamper }: Job, secret: string, seconds: number): Parcel {
  const { body, headers, names } = unsigned;
  const parts = tamper === undefined ? signParts(body, secret, seconds) : tampered(tamper, body, secret, seconds);
  const signed = [
    [names.signature, parts.signature],
    [names.timestamp, parts.timestamp],
  ].filter((line): line is [string, string] => line[1] !== undefined);
  return { body: parts.body, headers: [...headers, ...signed] };
}

/** Sends deliveries, prints each answer and a summary, and returns the exit code. */
export async function deliverAll(
  jobs: AsyncIterable<Job>,
  { url, secret, total, mustRefuse }: Sending,
  { options, output, signal, now }: Context<DeliverOptions>,
): Promise<ExitCode> {
  const { concurrency, timeout } = options;
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: concurrency });
  const stop = new AbortController();
  // Each delivery in flight adds a listener.
  setMaxListeners(0, stop.signal);
  const end = () => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const connection = { agent, timeoutMs: timeout * 1000, signal: stop.signal };
  const progress = createProgress(output, total);
  const lines = !progress.drawn || (total ?? Number.POSITIVE_INFINITY) <= LINES_UP_TO;
  const tally = createTally();
  const start = performance.now();

  const one = async (job: Job, index: number) => {
    const at = now();
    const parcel = parcelOf(job, secret, Math.floor(at / 1000));
    const answer = await post(url, parcel, connection);
    if (answer.code === 'ABORT_ERR') return pMapSkip;
    if (!answer.connected && tally.answered === 0) throw unreachable(url, answer.code);
    tally.add(answer);
    const { tamper, number = index + 1 } = job;
    const about = { id: String(number), at, target: shownUrl(url), tamper, bytes: parcel.body.byteLength };
    const line: SentLine = { ...about, answer, verdict: verdictOf(answer) };
    if (output.json || lines)
      output.result(deliveryJson(line), output.wrap(sentText(line, output.colors), ' '.repeat(6)));
    progress.update(tally.sent, countsText(tally.verdicts, PLAIN));
    return pMapSkip;
  };
  try {
    await pMap(jobs, one, { concurrency });
  } finally {
    signal.removeEventListener('abort', end);
    stop.abort();
    agent.destroy();
    progress.end();
  }
  const summary = {
    url: shownUrl(url),
    tally,
    durationMs: performance.now() - start,
    interrupted: signal.aborted,
    tampered: mustRefuse,
  };
  if (output.json) output.result(summaryJson(summary), '');
  else if (tally.sent !== 1) output.print(summaryText(summary, output.colors));
  const wanted = mustRefuse ? tally.verdicts.refused : tally.verdicts.accepted;
  return wanted === tally.sent ? 0 : 1;
}

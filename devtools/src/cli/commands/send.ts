import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import pMap, { pMapSkip } from 'p-map';
import { verdictOf } from '../../deliveries/verdict.js';
import { CommandError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { type HeaderOptions, headerNames } from '../header-names.js';
import { createProgress } from '../progress.js';
import { readSecret, type SecretOptions } from '../secrets.js';
import { fileParcel, recordedParcels, sampleParcel, type Unsigned } from '../send/parcels.js';
import { type Answer, type Parcel, post } from '../send/post.js';
import { answerText, deliveryJson, summaryJson, summaryText } from '../send/report.js';
import { createTally } from '../send/tally.js';
import { signParts, tampers } from '../send/tamper.js';
import { type TamperName, tamperNames } from '../send/tamper-names.js';
import type { EventKind } from '../service.js';
import { reachReason, readUrl, shownUrl } from '../urls.js';

/** Beyond this number of deliveries, a terminal shows progress in place of a line for each. */
const LINES_UP_TO = 20;

interface SendOptions extends HeaderOptions, SecretOptions {
  readonly kind?: EventKind | undefined;
  readonly count?: number | undefined;
  readonly fresh?: true | undefined;
  readonly file?: string | undefined;
  readonly recording?: string | undefined;
  readonly nth?: number | undefined;
  readonly all?: true | undefined;
  readonly asRecorded?: true | undefined;
  readonly repeat: number;
  readonly tamper?: readonly (TamperName | 'all')[] | undefined;
  readonly concurrency: number;
  /** Seconds. */
  readonly timeout: number;
}

type SendContext = Context<SendOptions>;

interface Job {
  readonly unsigned: Unsigned;
  readonly tamper: TamperName | undefined;
}

export async function send(to: string, context: SendContext): Promise<ExitCode> {
  const { recording, nth, all, asRecorded } = context.options;
  if (recording === undefined && (nth ?? all ?? asRecorded) !== undefined) {
    throw usageError('--nth, --all and --as-recorded need --recording.');
  }
  const url = readUrl(to, 'The receiver');
  const secret = asRecorded ? undefined : await readSecret(context);
  return await sendAll(url, secret, context);
}

/** The ways in which each delivery is broken; undefined: not at all. */
const tampersOf = ({ tamper }: SendOptions): readonly (TamperName | undefined)[] => {
  if (tamper === undefined) return [undefined];
  return tamper.includes('all') ? tamperNames : (tamper as readonly TamperName[]);
};

/** What to send, in order. Ends when the command is stopped. */
async function* jobs({ options, stdin, output, signal }: SendContext): AsyncGenerator<Job> {
  const names = headerNames(options);
  const { file, recording, nth, kind = 'event.emitted', count = 1, repeat, fresh } = options;
  const ways = new Set(tampersOf(options));
  const sample = () => sampleParcel(kind, count, names);
  const fixed =
    recording === undefined && !fresh
      ? file === undefined
        ? sample()
        : await fileParcel(file, stdin, names)
      : undefined;
  for (let round = 0; round < repeat; round++) {
    const deliveries =
      recording === undefined
        ? [fixed ?? sample()]
        : recordedParcels(recording, { all: options.all === true, nth, names, output });
    for await (const unsigned of deliveries) {
      for (const tamper of ways) {
        if (signal.aborted) return;
        yield { unsigned, tamper };
      }
    }
  }
}

/** Signs a delivery, or breaks it, at the current second. */
function parcelOf({ unsigned, tamper }: Job, secret: string | undefined, seconds: number): Parcel {
  const { body, headers, names, recorded } = unsigned;
  if (secret === undefined) return { body, headers: recorded?.headers ?? headers };
  const parts = tamper === undefined ? signParts(body, secret, seconds) : tampers[tamper](body, secret, seconds);
  const signed = [
    [names.signature, parts.signature],
    [names.timestamp, parts.timestamp],
  ].filter((line): line is [string, string] => line[1] !== undefined);
  return { body: parts.body, headers: [...headers, ...signed] };
}

async function sendAll(url: URL, secret: string | undefined, context: SendContext): Promise<ExitCode> {
  const { options, output, signal, now } = context;
  const { concurrency, timeout, repeat, tamper, all } = options;
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: concurrency });
  const stop = new AbortController();
  // Each delivery in flight adds a listener.
  setMaxListeners(0, stop.signal);
  const end = () => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const connection = { agent, timeoutMs: timeout * 1000, signal: stop.signal };
  const total = all ? undefined : repeat * new Set(tampersOf(options)).size;
  const progress = createProgress(output, total);
  const lines = !progress.drawn || (total ?? Number.POSITIVE_INFINITY) <= LINES_UP_TO;
  const tally = createTally();
  const start = performance.now();

  const one = async (job: Job, index: number) => {
    const parcel = parcelOf(job, secret, Math.floor(now() / 1000));
    const answer = await post(url, parcel, connection);
    if (answer.code === 'ABORTED') return pMapSkip;
    if (!answer.connected && tally.answered === 0) throw unreachable(url, answer);
    tally.add(answer);
    const line = {
      number: index + 1,
      tamper: job.tamper,
      bytes: parcel.body.byteLength,
      answer,
      verdict: verdictOf(answer),
    };
    if (output.json || lines) output.result(deliveryJson(line), answerText(line, output.colors));
    const { accepted, refused, failed } = tally.verdicts;
    progress.update(tally.sent, `${accepted} accepted, ${refused} refused, ${failed} failed`);
    return pMapSkip;
  };
  try {
    await pMap(jobs(context), one, { concurrency });
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
    tampered: tamper !== undefined,
  };
  if (output.json) output.result(summaryJson(summary), '');
  else if (tally.sent !== 1) output.print(summaryText(summary, output.colors));
  const wanted = tamper !== undefined ? tally.verdicts.refused : tally.verdicts.accepted;
  return wanted === tally.sent ? 0 : 1;
}

function unreachable(url: URL, { code }: Answer): CommandError {
  return new CommandError('ERR_CLI_UNREACHABLE', `${shownUrl(url)} cannot be reached (${code}): ${reachReason(code)}`);
}

import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import pMap, { pMapSkip } from 'p-map';
import { type CommandContext, defineCommand, type ExitCode } from '../command.js';
import { CommandError, usageError } from '../command-error.js';
import { headerFlags, headerNames } from '../header-flags.js';
import { createProgress } from '../progress.js';
import { readSecret, secretFlags } from '../secrets.js';
import { fileParcel, recordedParcels, sampleParcel, type Unsigned } from '../send/parcels.js';
import { type Answer, type Parcel, post } from '../send/post.js';
import { answerText, deliveryJson, summaryJson, summaryText } from '../send/report.js';
import { createTally, verdictOf } from '../send/tally.js';
import { signParts, type TamperName, tamperNames, tampers } from '../send/tamper.js';
import { reachReason, readUrl, shownUrl } from '../urls.js';

const DEFAULT_URL = 'http://127.0.0.1:3000/webhooks';
/** With more deliveries than this, a terminal shows how far it is in place of a line for each. */
const LINES_UP_TO = 20;

const flags = {
  kind: {
    type: 'text',
    placeholder: 'kind',
    choices: ['event.emitted', 'transaction.included'],
    help: 'Kind of the sample events (event.emitted without it)',
  },
  count: {
    type: 'number',
    placeholder: 'n',
    min: 1,
    max: 10_000,
    whole: true,
    help: 'Sample events in a delivery (1 without it)',
  },
  fresh: { type: 'boolean', help: 'With --repeat: new sample events each time, not the same ones again' },
  file: { type: 'text', placeholder: 'file', help: 'Send the bytes of this file exactly as they are (- for stdin)' },
  recording: {
    type: 'text',
    placeholder: 'file',
    help: 'Send what `listen --record` wrote, byte for byte, signed afresh',
  },
  nth: {
    type: 'number',
    placeholder: 'n',
    min: 1,
    max: 1e9,
    whole: true,
    help: 'Which delivery of the recording, from 1',
  },
  all: { type: 'boolean', help: 'Every delivery of the recording' },
  'as-recorded': { type: 'boolean', help: 'With the signature and the timestamp of the recording: needs no secret' },
  repeat: {
    type: 'number',
    placeholder: 'n',
    min: 1,
    max: 1_000_000,
    whole: true,
    default: 1,
    help: 'Send it so many times',
  },
  tamper: {
    type: 'text',
    placeholder: 'how',
    choices: [...tamperNames, 'all'],
    multiple: true,
    help: 'Break the delivery in one way, to see that it is refused',
  },
  concurrency: {
    type: 'number',
    placeholder: 'n',
    min: 1,
    max: 1000,
    whole: true,
    default: 1,
    help: 'How many are under way at once',
  },
  timeout: {
    type: 'number',
    placeholder: 'seconds',
    min: 0.01,
    max: 600,
    default: 10,
    help: 'How long an answer may take',
  },
  ...headerFlags,
  ...secretFlags,
} as const;

type Context = CommandContext<typeof flags>;

interface Job {
  readonly unsigned: Unsigned;
  readonly tamper: TamperName | undefined;
}

export const send = defineCommand({
  name: 'send',
  summary: 'Send signed deliveries to a receiver: samples, a file, or recorded ones',
  details: [
    'Sends one sample event unless told otherwise. Each delivery is signed with the present time as it is sent; redirects are not followed.',
  ],
  sections: [
    {
      title: 'Ways to tamper',
      rows: [...tamperNames.map((name) => [name, tampers[name].does] as const), ['all', 'each of these in turn']],
    },
  ],
  arguments: [{ name: 'url', required: false, help: `Where the receiver listens (${DEFAULT_URL} without it)` }],
  flags,
  examples: [
    { run: 'send', does: `One sample event to ${DEFAULT_URL}, signed with WEBHOOK_SECRET` },
    {
      run: 'send http://127.0.0.1:8080/hooks --kind transaction.included --count 3',
      does: 'Three events in one delivery',
    },
    { run: 'send --file body.json --secret-file secret.txt --headers multibaas', does: 'The bytes of a file' },
    {
      run: 'send --recording deliveries.ndjson --nth 2',
      does: 'A recorded delivery again, signed with the present time',
    },
    { run: 'send --tamper all', does: 'Does the receiver refuse everything that it should?' },
    { run: 'send --repeat 1000 --fresh --concurrency 20 --json', does: 'A thousand deliveries, as JSON' },
  ],
  exitCodes: {
    0: 'every delivery was answered 2xx; with --tamper, every one was refused (400, 401, 403 or 422)',
    1: 'an answer is another, or there was none in time',
    2: 'wrong usage, bad input, or nobody listens at the URL',
  },
  async run(context) {
    check(context.flags);
    const url = readUrl(context.args[0] ?? DEFAULT_URL, 'The argument of send');
    const secret = context.flags['as-recorded'] ? undefined : await readSecret(context);
    return await sendAll(url, secret, context);
  },
});

/** Refuses flags that make no sense together. */
function check(flags: Context['flags']): void {
  const { file, recording, kind, count, fresh, nth, all, tamper } = flags;
  if (file !== undefined && recording !== undefined) throw usageError('Give --file or --recording, not both.');
  if ((file ?? recording) !== undefined && (kind ?? count ?? fresh) !== undefined) {
    throw usageError('--kind, --count and --fresh are about samples: leave them out with --file and --recording.');
  }
  if (recording === undefined && (nth ?? all ?? flags['as-recorded']) !== undefined) {
    throw usageError('--nth, --all and --as-recorded need --recording.');
  }
  if (nth !== undefined && all) throw usageError('Give --nth or --all, not both.');
  if (flags['as-recorded'] && tamper.length > 0) {
    throw usageError('--as-recorded sends what was recorded: leave --tamper out, or --as-recorded.');
  }
}

/** What is to be sent, one after the other; nothing more once it is ended. */
async function* jobs({ flags, stdin, output, signal }: Context): AsyncGenerator<Job> {
  const names = headerNames(flags);
  const { file, recording, nth, kind = 'event.emitted', count = 1, repeat, fresh } = flags;
  const asked = flags.tamper.includes('all') ? tamperNames : (flags.tamper as TamperName[]);
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
        : recordedParcels(recording, { all: flags.all === true, nth, names, output });
    for await (const unsigned of deliveries) {
      for (const tamper of asked.length === 0 ? [undefined] : new Set(asked)) {
        if (signal.aborted) return;
        yield { unsigned, tamper };
      }
    }
  }
}

/** Signs a delivery, or breaks it, for the present second. */
function parcelOf({ unsigned, tamper }: Job, secret: string | undefined, seconds: number): Parcel {
  const { body, headers, names, recorded } = unsigned;
  if (secret === undefined) return { body, headers: recorded?.headers ?? headers };
  const parts = tamper === undefined ? signParts(body, secret, seconds) : tampers[tamper].apply(body, secret, seconds);
  const signed = [
    [names.signature, parts.signature],
    [names.timestamp, parts.timestamp],
  ].filter((line): line is [string, string] => line[1] !== undefined);
  return { body: parts.body, headers: [...headers, ...signed] };
}

async function sendAll(url: URL, secret: string | undefined, context: Context): Promise<ExitCode> {
  const { flags, output, signal, now } = context;
  const { concurrency, timeout, repeat, tamper } = flags;
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: concurrency });
  const stop = new AbortController();
  // Each delivery under way listens to it.
  setMaxListeners(0, stop.signal);
  const end = () => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const options = { agent, timeoutMs: timeout * 1000, signal: stop.signal };
  const each = tamper.includes('all') ? tamperNames.length : Math.max(1, new Set(tamper).size);
  const total = flags.all ? undefined : repeat * each;
  const progress = createProgress(output, total);
  const lines = !progress.drawn || (total ?? Number.POSITIVE_INFINITY) <= LINES_UP_TO;
  const tally = createTally();
  const start = performance.now();

  const one = async (job: Job, index: number) => {
    const parcel = parcelOf(job, secret, Math.floor(now() / 1000));
    const answer = await post(url, parcel, options);
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
    tampered: tamper.length > 0,
  };
  if (output.json) output.result(summaryJson(summary), '');
  else if (tally.sent !== 1) output.print(summaryText(summary, output.colors));
  const wanted = tamper.length > 0 ? tally.verdicts.refused : tally.verdicts.accepted;
  return wanted === tally.sent ? 0 : 1;
}

function unreachable(url: URL, { code }: Answer): CommandError {
  return new CommandError('ERR_CLI_UNREACHABLE', `${shownUrl(url)} cannot be reached (${code}): ${reachReason(code)}`);
}

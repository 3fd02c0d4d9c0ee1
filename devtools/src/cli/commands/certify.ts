import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import type { BenchOptions } from '../../certify/bench.js';
import { GROUPS } from '../../certify/case.js';
import { CounterError, createCounter } from '../../certify/counter.js';
import { holdHalfSent } from '../../certify/half-sent.js';
import { CASES, type Result, runCases } from '../../certify/run-cases.js';
import { isLoopback } from '../../guards.js';
import { type Parcel, post } from '../../post.js';
import { caseJson, listJson, listText, scorecardText, summaryJson } from '../certify/scorecard.js';
import { inputError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { headerNames } from '../header-names.js';
import { choices, text } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { createProgress } from '../progress.js';
import { readSecret } from '../secrets.js';
import { fullUrl, readUrl, shownUrl, unreachable } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

Sends authentic, forged, repeated and half-sent deliveries, and prints a scorecard: for each failure the risk and the fix. The receiver may be written in any language. Its authentic events take effect: never run this against production.`,
    )
    .argument('[url]', `URL of the receiver (default: ${shared.DEFAULT_URL})`)
    .addOption(shared.headers)
    .addOption(shared.secretFile)
    .addOption(text('--effects <url or command>', 'Where the number of effects so far is the last line'))
    .addOption(text('--fail-id <id>', 'Id of an event for which the handler of the app fails'))
    .option('--window', 'Fail, instead of warn, if a stale or future timestamp is accepted')
    .addOption(
      choices(
        '--only <case or group>',
        [...Object.keys(GROUPS), ...CASES.map(({ id }) => id)],
        'Run only these, which --list prints',
      ),
    )
    .option('--list', 'Print the cases, and send nothing')
    .option('--i-own-this', 'Also send half bodies over 200 connections to another machine')
    .addOption(shared.timeout);

type Options = shared.OptionsOf<typeof define>;
/** Time for the whole run, with which it ends within two minutes. */
const RUN_MS = 100_000;
/** Enough of an answer to find a secret in an error page. */
const KEEP_BYTES = 64 * 1024;

function list({ output }: Context<Options>): ExitCode {
  if (output.json) for (const each of CASES) output.result(listJson(each), '');
  else output.print(listText(CASES));
  return 0;
}

async function run(context: Context<Options>, to = shared.DEFAULT_URL): Promise<ExitCode> {
  if (context.options.list) return list(context);
  const { options, output, signal, now } = context;
  const url = readUrl(to, 'The receiver');
  const headers = headerNames(options) ?? serviceHeaders;
  const secret = await readSecret(context);
  const start = performance.now();
  const leftMs = () => Math.max(1, Math.min(options.timeout * 1000, start + RUN_MS - performance.now()));
  const counter = await counterOf(options.effects, leftMs);
  const connection = connect(url, leftMs, signal);
  const progress = createProgress(output, CASES.length);
  const results: Result[] = [];
  const running = runCases({
    ...{ secret, headers, counter, now, window: options.window === true, failId: options.failId },
    ...{ send: connection.send, hold: hold(url, options), only: options.only ?? [] },
    isOver: () => signal.aborted || performance.now() - start > RUN_MS,
  });
  let next = await running.next();
  try {
    for (; !next.done; next = await running.next()) {
      results.push(next.value);
      if (output.json) output.result(caseJson(next.value), '');
      progress.update(results.length, next.value.case.id);
    }
  } finally {
    connection.close();
    progress.end();
  }
  const { isCounting } = next.value;
  const whole = {
    url: visible(shownUrl(url)),
    results,
    isCounting,
    durationMs: performance.now() - start,
    interrupted: signal.aborted,
  };
  output.result(summaryJson(whole), scorecardText(whole, output.colors));
  return results.some(({ verdict }) => verdict === 'failed' || verdict === 'not-run') ? 1 : 0;
}

/** Sends over a new connection each, which a server that crashed cannot have closed before. */
function connect(url: URL, timeoutMs: () => number, signal: AbortSignal) {
  const agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: false });
  // Each delivery in flight adds a listener.
  setMaxListeners(0, signal);
  let isFirst = true;
  return {
    async send(parcel: Parcel) {
      const answer = await post(url, parcel, { agent, timeoutMs: timeoutMs(), signal, keepBytes: KEEP_BYTES });
      if (isFirst && !answer.connected && answer.code !== 'ABORT_ERR') throw unreachable(url, answer.code);
      isFirst = false;
      return answer;
    },
    close: () => agent.destroy(),
  };
}

function hold(url: URL, { iOwnThis }: Options): BenchOptions['hold'] {
  if (isLoopback(url.hostname) || iOwnThis) return (half) => holdHalfSent(url, half);
  return 'needs --i-own-this, because the receiver is on another machine';
}

/** Reads the number once, so that a wrong --effects ends the command before it sends. */
async function counterOf(effects: string | undefined, timeoutMs: () => number): Promise<BenchOptions['counter']> {
  if (effects === undefined) return undefined;
  const full = fullUrl(effects);
  const counter = createCounter(/^https?:\/\//i.test(full) && URL.canParse(full) ? new URL(full) : effects, timeoutMs);
  try {
    await counter();
  } catch (error) {
    throw error instanceof CounterError ? inputError(error.message) : error;
  }
  return counter;
}

export const command = shared.command(define, run, {
  examples: [
    ['certify http://localhost:3000/webhooks', 'Every case, signed with WEBHOOK_SECRET, by status'],
    ['certify 3000/webhooks --effects http://localhost:3000/effects', 'Counts effects at a URL'],
    [
      'certify 3000/webhooks --effects "psql -Atc \'select count(*) from transfers\'" --fail-id always-fails',
      'Counts rows, and has the handler fail',
    ],
    ['certify 3000/webhooks --headers multibaas --window --json', 'In a pipeline'],
    ['certify --list', 'What is tested'],
  ],
  exitCodes: {
    0: 'no case failed; there may be warnings',
    1: 'a case failed, or could not be run',
    2: 'wrong usage, bad input, or nothing listens at the URL',
  },
});

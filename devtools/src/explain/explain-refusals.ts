import type { Logger, OnError, RefusedRequest, VerifierOptions } from 'event-webhook-receiver';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import type { Explainer } from '../confined/explainer.js';
import { certain, type Finding, fault, MOST_BYTES, TOO_LARGE } from './finding.js';
import { PROBED, underscored } from './other-headers.js';
import { startExplainer } from './start-explainer.js';

/** Options of `explainRefusals`: the same as those of the receiver. */
export interface ExplainRefusalsOptions {
  /** The secret of the receiver, its secrets, or its secret function. */
  readonly secret: VerifierOptions['secret'];
  /** The `headers` of the receiver. (Default: `serviceHeaders`.) */
  readonly headers?: VerifierOptions['headers'];
  /** The `toleranceSeconds` of the receiver. (Default: 300.) */
  readonly toleranceSeconds?: VerifierOptions['toleranceSeconds'];
  /** The clock of the receiver, in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
  /** Secrets of your other webhooks by label; a finding names the label. (Default: none.) */
  readonly otherSecrets?: Readonly<Record<string, string>> | undefined;
  /** Logs each explanation as a warning. (Default: `console.warn`, as text.) */
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /**
   * Also called with every error. Errors other than a 403 are not explained: handle them here or with the receiver's
   * `logger`.
   */
  readonly onError?: OnError | undefined;
}

type Refusal = Parameters<OnError>[0];

/** Maximum number of refusals waiting for an explanation; more are only counted. */
const MOST_WAITING = 10;
const EXPLAINED: readonly string[] = ['ERR_WEBHOOK_HEADER', 'ERR_WEBHOOK_SIGNATURE', 'ERR_WEBHOOK_TIMESTAMP'];

/**
 * Returns an `onError` for development: it logs why a delivery was answered 403, and the fix, some seconds later. It
 * explains in another thread, ten refusals at a time, so requests are not delayed. It does not keep your program
 * running, and never logs a secret, an expected signature or a body. Give the receiver a `logger` for all other errors.
 *
 * Not for production, where strangers cause refusals and the package is not installed: import it as shown.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 *
 * const isDevelopment = process.env.NODE_ENV !== 'production';
 * const explain = isDevelopment ? await import('event-webhooks/explain').catch(() => undefined) : undefined;
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * createReceiver({
 *   secret,
 *   logger: console,
 *   onEvent: (event) => console.log(event.id),
 *   onError: explain?.explainRefusals({ secret }),
 * });
 * ```
 * @param options `secret` is required; the others as in the receiver.
 * @returns An `onError` for `createReceiver`, `createVerifier` or an adapter.
 */
export function explainRefusals(options: ExplainRefusalsOptions): OnError {
  return refusalExplainer(options, startExplainer);
}

/**
 * {@link explainRefusals} with the explainer from `start`.
 *
 * @param secretMs Time limit of the secret function, in milliseconds, so that waiting refusals do not fill the queue.
 */
export function refusalExplainer(
  options: ExplainRefusalsOptions,
  start: () => Promise<Pick<Explainer, 'explain'>>,
  secretMs = 10_000,
): OnError {
  const { headers, otherSecrets, logger, onError, now = Date.now } = options;
  const toleranceSeconds = options.toleranceSeconds === false ? Number.MAX_VALUE : options.toleranceSeconds;
  let explainer: ReturnType<typeof start> | undefined;
  let waiting = 0;
  let missed = 0;

  async function log(fields: object, text: string): Promise<void> {
    if (logger) await logger.warn(fields, text);
    else console.warn(text);
  }

  async function explain(refused: RefusedRequest | undefined): Promise<readonly Finding[]> {
    if (refused === undefined) return [];
    const { rawBody, signature, timestamp, header } = refused;
    if (rawBody !== undefined && sizeOf(rawBody) > MOST_BYTES) return [TOO_LARGE];
    // Copied before the first await: the host may reuse its buffer, and the request may be gone.
    const body = typeof rawBody === 'string' ? rawBody : new Uint8Array(rawBody ?? []).slice();
    const own = Object.values({ ...serviceHeaders, ...headers });
    const names = [...new Set([...own, ...own.map(underscored), ...PROBED].map((name) => name.toLowerCase()))];
    const requestHeaders = names.flatMap((name): [string, string][] => {
      const value = header(name);
      return value === undefined ? [] : [[name, value]];
    });
    // Adapters pass bytes and headers; text comes from the app.
    const isOfAdapter = typeof rawBody !== 'string' && own.some((name) => header(name) !== undefined);
    const readBy = isOfAdapter ? ('receiver' as const) : undefined;
    const at = now();
    explainer ??= start();
    const { explain } = await explainer;
    const secret = await secretOf(options.secret, refused, secretMs);
    const findings = await explain({
      rawBody: body,
      signature,
      timestamp,
      requestHeaders,
      headers,
      secret,
      otherSecrets,
      now: at,
      toleranceSeconds,
      bodyUnread: rawBody === undefined,
      readBy,
    });
    if (findings.length === 0) return [nothingWrong(rawBody !== undefined)];
    return typeof options.secret === 'function' ? findings.map(ofFunction) : findings;
  }

  async function report({ code, message }: Refusal, refused: RefusedRequest | undefined): Promise<void> {
    if (waiting >= MOST_WAITING) {
      missed++;
      return;
    }
    waiting++;
    const findings = await explain(refused).catch(() => [UNAVAILABLE]);
    waiting--;
    const more = missed > 0 ? `\n  Not explained, because too many came at once: ${missed}.` : '';
    missed = 0;
    await log({ code, findings }, `${headline(code, message)}${findings.map(textOf).join('')}${more}`);
  }

  return (error: Refusal, context: Parameters<OnError>[1]) => {
    if (EXPLAINED.includes(error.code)) report(error, context.request?.()).catch(() => {});
    return onError?.(error, context);
  };
}

const headline = (code: string, message: string) => `[event-webhooks] ${code}: ${message}`;
const textOf = ({ what, confidence, fix }: Finding) =>
  `\n  - ${what}${confidence ? ` (${confidence})` : ''}\n    Fix: ${fix}`;
const sizeOf = (body: NonNullable<RefusedRequest['rawBody']>) =>
  typeof body === 'string' ? body.length : body.byteLength;
const ofFunction = (finding: Finding) => (finding.cause === 'secret-missing' ? NOT_FOUND : finding);

/** The secret for a request. Rejects when a secret function does not settle in time. */
async function secretOf(
  secret: VerifierOptions['secret'],
  request: RefusedRequest,
  ms: number,
): Promise<string | readonly string[]> {
  if (typeof secret !== 'function') return secret;
  const signal = AbortSignal.timeout(ms);
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', reject));
  const found = await Promise.race([secret({ ...request, signal }), late]);
  if (typeof found === 'object' && 'secret' in found) return found.secret;
  return found ?? '';
}

/** The finding when nothing is wrong by the options of explainRefusals. */
const nothingWrong = (isRead: boolean): Finding =>
  certain(
    fault(
      isRead ? 'authentic-with-these-options' : 'headers-well-formed',
      `By the options of explainRefusals, ${isRead ? 'the delivery is authentic and fresh' : 'nothing is wrong with the headers. The body was not read'}.`,
      'Pass the `headers`, `toleranceSeconds`, `now` and `secret` of the receiver to explainRefusals. If its `secret` is a function, check what that returns for this request.',
    ),
  );
const NOT_FOUND: Finding = certain(
  fault(
    'secret-missing',
    'The secret function found no secret for this request.',
    'Check the key that it looks up (a header, the path, a variable), and that a secret is stored under it.',
  ),
);
const UNAVAILABLE: Finding = fault(
  'not-explained',
  'It was not explained: the explaining thread or the secret is not available here.',
  'Start the app in the folder of its package.json, on Node, with event-webhooks installed; or record the delivery with `npx event-webhooks listen --record`.',
);

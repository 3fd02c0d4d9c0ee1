import { WebhookError } from '../errors.js';

/** Codes of {@link WebhookApiError}. */
export type ApiErrorCode = 'ERR_WEBHOOK_API' | 'ERR_WEBHOOK_API_UNREACHABLE';

/** What is known of a failed call beside its message. */
export interface ApiFailure {
  readonly status?: number | undefined;
  readonly serviceMessage?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * A call of the service's API failed. The message names the call and what to do; neither it nor any property holds the
 * API key or a webhook's secret.
 *
 * - `ERR_WEBHOOK_API`: the service answered with an error, a redirect, or something that is no answer of this API.
 * - `ERR_WEBHOOK_API_UNREACHABLE`: no answer: a time-out, or the network. What the call asked for may still have happened.
 */
export class WebhookApiError extends WebhookError<ApiErrorCode> {
  /** The status that the service answered with; 503 where it gave no answer. */
  override readonly status: number;
  /** What the service said, in one line of 200 characters at most, without control characters; `''` when it said nothing. */
  readonly serviceMessage: string;
  /** How long the service wants to be left alone, where it says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ApiErrorCode, message: string, failure: ApiFailure = {}) {
    super(code, message);
    // As text: bundlers shorten the names of classes.
    this.name = 'WebhookApiError';
    this.status = failure.status ?? 503;
    this.serviceMessage = failure.serviceMessage ?? '';
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

const LONGEST = 200;
/** What moves a cursor, turns text around, or is no character: control, format, separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** A foreign text in one printable line of bounded length, from which `withheld` is taken out. */
export function oneLine(text: unknown, withheld: string): string {
  if (typeof text !== 'string') return '';
  const without = withheld === '' ? text : text.replaceAll(withheld, '[API key]');
  const line = [
    ...without
      .slice(0, 10 * LONGEST)
      .replace(UNPRINTABLE, ' ')
      .trim(),
  ];
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).join('')}…` : line.join('');
}

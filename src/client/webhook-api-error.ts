import { WebhookError } from '../errors.js';

/** Codes of {@link WebhookApiError}. */
export type ApiErrorCode = 'ERR_WEBHOOK_API' | 'ERR_WEBHOOK_API_UNREACHABLE';

/**
 * A call of the service's API failed. The message names the call and what to do. Neither the message nor any property
 * contains the API key or a webhook's secret.
 *
 * - `ERR_WEBHOOK_API`: the service answered with an error, a redirect, or something other than an answer of this API.
 * - `ERR_WEBHOOK_API_UNREACHABLE`: there was no answer, because of a timeout or a network failure. The call may still
 * have taken effect.
 */
export class WebhookApiError extends WebhookError<ApiErrorCode> {
  /** Status of the service's answer; 503 without an answer. */
  override readonly status: number;
  /** The service's message, in one line of at most 200 characters without control characters; `''` without one. */
  readonly serviceMessage: string;

  constructor(
    code: ApiErrorCode,
    message: string,
    { status = 503, serviceMessage = '' }: Partial<WebhookApiError> = {},
  ) {
    super(code, message);
    this.name = 'WebhookApiError';
    this.status = status;
    this.serviceMessage = serviceMessage;
  }
}

const LONGEST = 200;
/** Characters that move the cursor, reverse text, or are invalid: control, format, separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** An untrusted text as one printable line of bounded length, without `withheld`. */
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

import { parseExactJson } from '../events/exact-json.js';
import { isRecord } from '../internal/guards.js';
import type { Answer } from './transport.js';
import { WebhookApiError } from './webhook-api-error.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The parsed value of an answer, with exact quantities, because events are signed again; undefined if it is not JSON in UTF-8. */
function parse({ body }: Answer): unknown {
  try {
    return parseExactJson(utf8.decode(body));
  } catch {
    // The parser's message quotes the text.
    return undefined;
  }
}

/** The error for an answer that does not come from this API. */
export function notThisApi({ to, status }: Answer, expected: string): WebhookApiError {
  const message = `${to}: the answer with status ${status} is not ${expected}. Check baseUrl, and any proxy in front of the service.`;
  return new WebhookApiError('ERR_WEBHOOK_API', message, { status });
}

/**
 * The `result` in an answer's envelope `{ status, message, result }`. Throws WebhookApiError for a
 * status other than 2xx, also in the envelope, and for an answer without that envelope.
 */
export function resultOf(answer: Answer): unknown {
  const value = parse(answer);
  const envelope = isRecord(value) ? value : undefined;
  const said = answer.status >= 300 ? answer.status : envelope?.status;
  if (typeof said === 'number' && !(said >= 200 && said < 300)) {
    const serviceMessage = answer.printable(envelope?.message);
    // Probably a different server without this path.
    const silent = said === 404 ? ', but not in the format of this API. Check baseUrl.' : '.';
    throw new WebhookApiError(
      'ERR_WEBHOOK_API',
      `${answer.to}: the service answered ${said}${serviceMessage ? `: ${serviceMessage}` : silent}`,
      { status: said, serviceMessage },
    );
  }
  if (envelope === undefined) throw notThisApi(answer, 'a JSON object');
  return Object.hasOwn(envelope, 'result') ? envelope.result : undefined;
}

/** Like {@link resultOf}, for an answer that may be empty. */
export function acknowledged(answer: Answer): void {
  if (!(answer.status < 300 && answer.body.byteLength === 0)) resultOf(answer);
}

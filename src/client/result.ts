import { isRecord } from '../internal/guards.js';
import { type Answer, retryAfterMs } from './transport.js';
import { WebhookApiError } from './webhook-api-error.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of an answer and what it says; both undefined where it is no JSON in UTF-8. */
function parse({ body }: Answer): { text?: string; value?: unknown } {
  try {
    const text = utf8.decode(body);
    return { text, value: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text.
    return {};
  }
}

/** The error for an answer that is none of this API. */
export function notThisApi({ to, status }: Answer, expected: string): WebhookApiError {
  const message = `${to}: the answer, of status ${status}, is not ${expected}. Check baseUrl, and what stands in front of the service.`;
  return new WebhookApiError('ERR_WEBHOOK_API', message, { status });
}

/**
 * The `result` in an answer's envelope `{ status, message, result }`, and the answer's text. Throws WebhookApiError for
 * an answer of another status than 2xx, in its envelope too, and for whatever else is no such envelope.
 */
export function resultOf(answer: Answer): { result: unknown; text: string } {
  const { text, value } = parse(answer);
  const envelope = isRecord(value) ? value : undefined;
  const said = answer.status >= 300 ? answer.status : envelope?.status;
  if (typeof said === 'number' && !(said >= 200 && said < 300)) {
    const serviceMessage = answer.printable(envelope?.message);
    // Another server answers so, to a path that it does not know.
    const silent = said === 404 ? ', and not as this API does. Check baseUrl.' : '.';
    const after = retryAfterMs(answer.retryAfter);
    throw new WebhookApiError(
      'ERR_WEBHOOK_API',
      `${answer.to}: the service answered ${said}${serviceMessage ? `: ${serviceMessage}` : silent}`,
      { status: said, serviceMessage, retryAfterSeconds: after === undefined ? undefined : Math.ceil(after / 1000) },
    );
  }
  if (envelope === undefined || text === undefined) throw notThisApi(answer, 'a JSON object');
  return { result: Object.hasOwn(envelope, 'result') ? envelope.result : undefined, text };
}

/** As {@link resultOf}, of an answer whose result is not looked at and which may be empty. */
export function acknowledged(answer: Answer): void {
  if (!(answer.status < 300 && answer.body.byteLength === 0)) resultOf(answer);
}

import type { WebhookErrorCode } from 'event-webhook-receiver';
import type { RpcErrorCode } from 'event-webhook-receiver/chain';
import type { ApiErrorCode } from 'event-webhook-receiver/client';
import type { DecodeErrorCode } from 'event-webhook-receiver/evm';

/** Every code of the receiver and its subpaths. */
export type KnownCode = WebhookErrorCode | ApiErrorCode | RpcErrorCode | DecodeErrorCode;

const ABI = 'Pass the ABI of the contract that emitted the event: `decodeEvent` selects by topics and inputs.';
const OVERLOAD =
  'Make the handler faster, hand events off to a queue (`enqueue`), raise `maxInFlight`, or add replicas.';
const NODE = 'Check the URL of the chain node and that it is reachable from the app.';
const REPORT = 'The event contradicts itself. Report it to the service that sent it.';

/** The fix for an error code in an app's answer. */
export const codeFixes: Readonly<Record<KnownCode, string>> = {
  ERR_WEBHOOK_METHOD: 'Send deliveries with POST to the final URL: a redirect turns POST into GET.',
  ERR_WEBHOOK_HEADER: 'Check that both signature headers reach the app, and that its option `headers` names them.',
  ERR_WEBHOOK_TIMESTAMP: 'Set the clock of the app, or raise its `toleranceSeconds` if deliveries wait in a queue.',
  ERR_WEBHOOK_SIGNATURE:
    "Compare the app's secret with this webhook's, and verify the raw body before anything parses it.",
  ERR_WEBHOOK_CONTENT_ENCODING:
    'Send the body uncompressed, as it was signed. Or turn off the compression of requests in the proxy in front.',
  ERR_WEBHOOK_BODY_TOO_LARGE:
    'Send fewer events at a time, or raise `maxBodyBytes` (10 MiB by default) or `maxEvents` (10 000) of the receiver.',
  ERR_WEBHOOK_BODY_INCOMPLETE: 'Send the delivery again. If it repeats, look for a proxy that cuts requests.',
  ERR_WEBHOOK_INVALID_BODY: 'Send a JSON array of events in UTF-8.',
  ERR_WEBHOOK_INVALID_EVENT: 'Correct the events, or set `onInvalid` to accept what does not match the schema.',
  ERR_WEBHOOK_IN_PROGRESS: 'Nothing to do: another request handles the event. The retry will find it done.',
  ERR_WEBHOOK_NON_RETRYABLE:
    'The handler says that no try can succeed: fix it, then retry or discard the dead letter. Set `deadLetters` to keep such events.',
  ERR_WEBHOOK_NOT_FINAL:
    'Nothing to do: the event waits for its confirmations. Mine blocks, or lower `confirmations` in development.',
  ERR_WEBHOOK_STORE: "Check the connection to the app's store, and that its table exists.",
  ERR_WEBHOOK_ENQUEUE: "Check the connection to the app's queue.",
  ERR_WEBHOOK_SECRET: "The app's secret function failed. Its own error is the `cause` in the app's log.",
  ERR_WEBHOOK_OVERLOADED: OVERLOAD,
  ERR_WEBHOOK_OUT_OF_TIME:
    "Raise the function's timeout, make the handler faster, or hand events off to a queue (`enqueue`).",
  ERR_WEBHOOK_DRAINING: 'Nothing to do: the app is shutting down. The retry will reach the next instance.',
  ERR_WEBHOOK_CONFIG: 'Correct the option that the message names where the app creates the receiver.',
  ERR_WEBHOOK_RAW_BODY_UNAVAILABLE:
    'Something parsed the body first. Express: mount the webhook route before express.json(). NestJS: NestFactory.create(AppModule, { rawBody: true }). Fetch: do not call request.json() before the handler.',
  ERR_WEBHOOK_HANDLER: "The app's handler threw. Its own error is the `cause` in the app's log.",
  ERR_WEBHOOK_HANDLER_TIMEOUT:
    'Make the handler faster, raise `handlerTimeoutMs`, or hand events off to a queue (`enqueue`).',
  ERR_WEBHOOK_OUTCOME_UNKNOWN:
    "A handler of the app ended its transaction itself. The message in the app's log names the key: look at its effects, then settle its row.",
  ERR_WEBHOOK_INTERNAL: "Look for a callback of the receiver that fails, such as `now`. Its error is in the app's log.",
  ERR_WEBHOOK_ABI_MISMATCH: ABI,
  ERR_WEBHOOK_DECODE: ABI,
  ERR_WEBHOOK_RAW_FIELDS: 'Call `decodeEvent` without `requireLog`, or have the service send `rawFields`.',
  ERR_WEBHOOK_INPUT_VALUE: 'The value was rounded or is not of its type: decode from the log with `requireLog`.',
  ERR_WEBHOOK_CONTRADICTION: REPORT,
  ERR_WEBHOOK_TRANSACTION: REPORT,
  ERR_WEBHOOK_RPC: NODE,
  ERR_WEBHOOK_API: "The service refused a call of the app. The message has the service's reason.",
  ERR_WEBHOOK_API_UNREACHABLE: 'Check the URL of the service in the app, and that it is running.',
};

/** Texts that identify a code where an answer contains the error but not its code, such as the error page of Express. */
export const codeTexts: readonly (readonly [text: string, code: KnownCode])[] = [
  ['RawBodyUnavailableError', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['The body was already read, so the signed bytes are gone', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['Mount the webhook route before express.json()', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['Signature mismatch: forged request, wrong secret, or modified body', 'ERR_WEBHOOK_SIGNATURE'],
  ['The delivery is authentic but its timestamp is', 'ERR_WEBHOOK_TIMESTAMP'],
  ['InvalidEventError', 'ERR_WEBHOOK_INVALID_EVENT'],
  ['InvalidBodyError', 'ERR_WEBHOOK_INVALID_BODY'],
];

/** Fixes for errors that show how a delivery is sent, or what reads it first. */
const FIXES: Readonly<Record<string, string>> = {
  ERR_WEBHOOK_METHOD: 'Send deliveries with POST to the final URL: a redirect turns POST into GET.',
  ERR_WEBHOOK_SIGNATURE:
    "Compare the app's secret with this webhook's, and verify the raw body before anything parses it.",
  ERR_WEBHOOK_CONTENT_ENCODING:
    'Send the body uncompressed, as it was signed. Or turn off the compression of requests in the proxy in front.',
  ERR_WEBHOOK_BODY_TOO_LARGE:
    'Send fewer events at a time, or raise `maxBodyBytes` (10 MiB by default) or `maxEvents` (10 000) of the receiver.',
  ERR_WEBHOOK_BODY_INCOMPLETE: 'Send the delivery again. If it repeats, look for a proxy that cuts requests.',
  ERR_WEBHOOK_INVALID_BODY: 'Send a JSON array of events in UTF-8.',
  ERR_WEBHOOK_INVALID_EVENT: 'Correct the events, or set `onInvalid` to accept what does not match the schema.',
  ERR_WEBHOOK_RAW_BODY_UNAVAILABLE:
    'Something parsed the body first. Express: mount the webhook route before express.json(). NestJS: NestFactory.create(AppModule, { rawBody: true }). Fetch: do not call request.json() before the handler.',
};

/** The fix for an error code of the receiver. */
export const fixOf = (code: string): string =>
  FIXES[code] ??
  `Read the error in the app's log, and what to do about it in event-webhook-receiver/docs/errors.md#${code.toLowerCase()}.`;

/** Texts that identify a code where an answer contains the error but not its code, such as the error page of Express. */
export const codeTexts: readonly (readonly [text: string, code: string])[] = [
  ['RawBodyUnavailableError', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['The body was already read, so the signed bytes are gone', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['Mount the webhook route before express.json()', 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'],
  ['Signature mismatch: forged request, wrong secret, or modified body', 'ERR_WEBHOOK_SIGNATURE'],
  ['The delivery is authentic but its timestamp is', 'ERR_WEBHOOK_TIMESTAMP'],
  ['InvalidEventError', 'ERR_WEBHOOK_INVALID_EVENT'],
  ['InvalidBodyError', 'ERR_WEBHOOK_INVALID_BODY'],
];

import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import type { WebhookEvent } from 'event-webhook-receiver';
import { createTestDelivery } from 'event-webhook-receiver/testing';
import { type HeaderNames, serviceHeaders } from 'event-webhook-receiver/verify';
import type { HeaderLine } from '../../service/attempt.js';
import { inputError } from '../command-error.js';
import { namesIn } from '../header-names.js';
import { readInput } from '../input-file.js';
import type { Output } from '../output.js';
import { type NumberedDelivery, readRecording, recordedDelivery } from '../recording.js';

/** A body to send, with its headers except those of the signature. */
export interface Unsigned {
  readonly body: Uint8Array;
  readonly headers: readonly HeaderLine[];
  /** Names of the signature and timestamp headers. */
  readonly names: HeaderNames;
}

/** A recorded delivery to send. */
export interface RecordedParcel extends Unsigned {
  /** The delivery as recorded. */
  readonly recorded: NumberedDelivery;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Headers of the connection, not of the delivery (RFC 9110, 7.6.1), and headers that are set again. */
const OF_THE_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['host', 'content-length', 'expect'],
]);

const plain = (body: Uint8Array, names = serviceHeaders): Unsigned => ({
  body,
  headers: [['Content-Type', 'application/json']],
  names,
});

/** A delivery of sample events. */
export const sampleParcel = (events: readonly WebhookEvent[], names?: HeaderNames): Unsigned =>
  // Only the bytes are used: they are signed when they are sent.
  plain(Buffer.from(createTestDelivery(events, { secret: '-' }).rawBody), names);

/** The bytes of a file, exactly as they are. */
export async function fileParcel(file: string, stdin: Readable, names?: HeaderNames): Promise<Unsigned> {
  const { bytes } = await readInput(file, { stdin, maxBytes: MAX_BODY_BYTES });
  if (bytes.length === 0) throw inputError(`${file === '-' ? 'stdin' : file} is empty: nothing to send.`);
  return plain(bytes, names);
}

/** The deliveries of a recording in order, or one of them. */
export async function* recordedParcels(
  file: string,
  { nth, names, output }: { nth: number | undefined; names: HeaderNames | undefined; output: Output },
): AsyncGenerator<RecordedParcel> {
  let any = false;
  const deliveries = nth === undefined ? readRecording(file, output) : [await recordedDelivery(file, nth, output)];
  for await (const recorded of deliveries) {
    any = true;
    if (recorded.body.length === 0)
      throw inputError(`${file} contains a delivery without a body, which cannot be sent.`);
    checkHeaders(recorded.headers, file);
    const own = recorded.headers.filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()));
    const found = names ?? namesIn(own) ?? serviceHeaders;
    const ofSignature = [found.signature, found.timestamp].map((name) => name.toLowerCase());
    const headers = own.filter(([name]) => !ofSignature.includes(name.toLowerCase()));
    yield { body: recorded.body, headers, names: found, recorded };
  }
  if (!any) throw inputError(`${file} has no deliveries.`);
}

function checkHeaders(headers: readonly HeaderLine[], file: string): void {
  for (const [name, value] of headers) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw inputError(`${file} contains a header that cannot be sent: ${name}.`);
    }
  }
}

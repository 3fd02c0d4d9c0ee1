import type { Readable } from 'node:stream';
import { type HeaderNames, serviceHeaders } from 'event-webhook-receiver/verify';
import { inputError, usageError } from '../command-error.js';
import { headerValue, namesIn } from '../header-flags.js';
import { readInput } from '../input-file.js';
import type { Output } from '../output.js';
import { recordedDelivery } from '../recording.js';
import { parseRequestDump } from './request-dump.js';

/** A delivery that is asked about. */
export interface Questioned {
  readonly rawBody: Uint8Array;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** When it came, in Unix milliseconds, where that is known. */
  readonly at?: number | undefined;
}

/** Where the delivery is taken from: one of the three. */
export interface QuestionSource {
  readonly 'body-file': string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  readonly recording: string | undefined;
  readonly nth: number | undefined;
  readonly request: string | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads the delivery that the flags mean; without any of them, a request from stdin. */
export async function questionedDelivery(
  flags: QuestionSource,
  names: HeaderNames | undefined,
  { stdin, output }: { stdin: Readable; output: Output },
): Promise<Questioned> {
  const { 'body-file': bodyFile, recording, request, signature, timestamp } = flags;
  if ([bodyFile, recording, request].filter((each) => each !== undefined).length > 1) {
    throw usageError('Give one of --body-file, --recording and --request.');
  }
  if (bodyFile === undefined && (signature ?? timestamp) !== undefined) {
    throw usageError('--signature and --timestamp belong to a --body-file.');
  }
  if (flags.nth !== undefined && recording === undefined) throw usageError('--nth needs --recording.');
  if (bodyFile !== undefined) {
    const { bytes } = await readInput(bodyFile, { stdin, maxBytes: MAX_BYTES });
    return { rawBody: bytes, signature, timestamp };
  }
  if (recording !== undefined) {
    const { headers, body, at } = await recordedDelivery(recording, flags.nth, output);
    return { rawBody: body, ...signatureIn(headers, names), at };
  }
  if (request === undefined && (stdin as { isTTY?: boolean }).isTTY) {
    throw usageError('Say what to explain: --recording, --request, or --body-file with --signature and --timestamp.');
  }
  const { bytes } = await readInput(request ?? '-', { stdin, maxBytes: MAX_BYTES });
  if (bytes.length === 0) throw inputError('The request is empty: give headers, an empty line, and the body.');
  const { headers, body, notes } = parseRequestDump(bytes);
  for (const note of notes) output.note(note);
  return { rawBody: body, ...signatureIn(headers, names) };
}

function signatureIn(headers: readonly (readonly [string, string])[], names: HeaderNames | undefined) {
  const found = names ?? namesIn(headers) ?? serviceHeaders;
  return { signature: headerValue(headers, found.signature), timestamp: headerValue(headers, found.timestamp) };
}

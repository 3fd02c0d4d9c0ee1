import type { Readable } from 'node:stream';
import type { ReadBy } from '../../explain/in-transit.js';
import { inputError, usageError } from '../command-error.js';
import { readInput } from '../input-file.js';
import type { Output } from '../output.js';
import { recordedDelivery } from '../recording.js';
import { parseRequestDump } from './request-dump.js';

/** A delivery to explain. */
export interface Questioned {
  readonly rawBody: Uint8Array;
  readonly signature?: string | undefined;
  readonly timestamp?: string | undefined;
  /** All headers of the request, if it is known. */
  readonly requestHeaders?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Time of arrival in Unix milliseconds, if known. */
  readonly at?: number | undefined;
  readonly method?: string | undefined;
  /** The status that `listen` answered. */
  readonly status?: number | undefined;
  /** A sentence that says that the body is incomplete. */
  readonly incomplete?: string | undefined;
  readonly readBy?: ReadBy | undefined;
}

/** Where the delivery comes from. The command line accepts at most one of the three files. */
export interface QuestionOptions {
  readonly bodyFile?: string | undefined;
  readonly signature?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly recording?: string | undefined;
  readonly nth?: number | undefined;
  readonly request?: string | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads the delivery that the options name; without any, a request from stdin. */
export async function questionedDelivery(
  options: QuestionOptions,
  { stdin, output }: { stdin: Readable; output: Output },
): Promise<Questioned> {
  const { bodyFile, recording, nth, request, signature, timestamp } = options;
  if (bodyFile === undefined && (signature ?? timestamp) !== undefined) {
    throw usageError('--signature and --timestamp need --body-file.');
  }
  if (nth !== undefined && recording === undefined) throw usageError('--nth needs --recording.');
  if (bodyFile !== undefined) {
    const { bytes } = await readInput(bodyFile, { stdin, maxBytes: MAX_BYTES });
    return { rawBody: bytes, signature, timestamp };
  }
  if (recording !== undefined) {
    const { headers, body, at, method, status } = await recordedDelivery(recording, nth, output);
    return { rawBody: body, requestHeaders: headers, at, method, status, readBy: 'listener' };
  }
  if (request === undefined && (stdin as { isTTY?: boolean }).isTTY) {
    throw usageError(
      'Nothing to explain: give --recording, --request, or --body-file with --signature and --timestamp.',
    );
  }
  const { bytes } = await readInput(request ?? '-', { stdin, maxBytes: MAX_BYTES });
  if (bytes.length === 0) throw inputError('The request is empty: it must be headers, an empty line, and the body.');
  const { headers, body, notes, ...others } = parseRequestDump(bytes);
  for (const note of notes) output.note(note);
  return { rawBody: body, requestHeaders: headers, ...others };
}

import { inputError } from '../command-error.js';
import { headerValue } from '../header-names.js';

/** A saved HTTP request: its headers and its body. */
export interface RequestDump {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Undefined without a request line. */
  readonly method?: string | undefined;
  /** A sentence that says that the body is shorter than Content-Length. */
  readonly incomplete?: string | undefined;
  /** Oddities of the dump, and how they were handled. */
  readonly notes: readonly string[];
}

const REQUEST_LINE = /^([A-Z]{3,10}) \S+(?: HTTP\/\d(?:\.\d)?)?$/;
const HEADER = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;

/**
 * Parses a raw request: an optional request line, headers, an empty line, the body. Lines may also end in LF without
 * CR, as in an edited file.
 *
 * @throws CommandError `ERR_CLI_INPUT` with the number of the line that is not a header.
 */
export function parseRequestDump(bytes: Uint8Array): RequestDump {
  const { head, rest } = split(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const lines = head.split(/\r?\n/);
  const method = REQUEST_LINE.exec(lines[0] as string)?.[1];
  const first = method === undefined ? 0 : 1;
  const headers = lines.slice(first).map((line, index) => {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name !== undefined && value !== undefined) return [name, value] as const;
    throw inputError(
      `Line ${index + first + 1} of the request is not a header ("Name: value"). A request must be headers, an empty line, and the body.`,
    );
  });
  const isChunked = headerValue(headers, 'Transfer-Encoding') !== undefined;
  if (isChunked)
    return { headers, method, body: rest, notes: ['The body was used as it is, without undoing Transfer-Encoding.'] };
  return { headers, method, ...fitted(rest, headerValue(headers, 'Content-Length')) };
}

function split(bytes: Buffer): { head: string; rest: Buffer } {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => ({ at: bytes.indexOf(end), length: end.length }));
  const [end] = ends.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at);
  if (end === undefined) throw inputError('The request has no empty line between headers and body.');
  return { head: bytes.toString('latin1', 0, end.at), rest: bytes.subarray(end.at + end.length) };
}

/** The body, cut to Content-Length. */
function fitted(body: Buffer, contentLength: string | undefined): Pick<RequestDump, 'body' | 'notes' | 'incomplete'> {
  if (contentLength === undefined || !/^\d{1,15}$/.test(contentLength)) return { body, notes: [] };
  const length = Number(contentLength);
  if (body.length < length) {
    const incomplete = `The body is incomplete: ${body.length} of ${length} bytes (Content-Length).`;
    return { body, notes: [], incomplete };
  }
  const more = body.length - length;
  return {
    body: body.subarray(0, length),
    notes: more > 0 ? [`${more} bytes beyond Content-Length were ignored.`] : [],
  };
}

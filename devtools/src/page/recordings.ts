import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Contents } from '../deliveries/contents.js';
import type { DeliveryRecord } from '../deliveries/delivery-record.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { linesOf } from '../deliveries/lines.js';
import { type RecordedDelivery, readLine, recordingLine } from '../deliveries/recorded.js';
import { verdictOf } from '../deliveries/verdict.js';
import { lastOf } from '../deliveries/views.js';
import { MOST_BYTES } from '../explain/finding.js';
import { chunksOf, HttpError } from '../http.js';
import { isReadable } from '../readable-json.js';

/** The result of opening a recording. */
export interface Imported {
  readonly added: number;
  /** Id of the newest. */
  readonly id?: string | undefined;
  readonly skipped: number;
  /** Why lines were skipped: the first five. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
}

const MOST_PROBLEMS = 5;
const MIB = 1024 * 1024;
/** The largest upload. */
const MOST_UPLOADED = 64 * MIB;
/** The longest line: a body of 10 MiB in base64, and the other fields. */
const MOST_LINE = 16 * MIB;

/**
 * Opens and saves recordings, in the format of `listen --record`.
 * @param read Reads a body where it cannot do harm; undefined if it cannot be read
 */
export function createRecordings(feed: Feed, read: (rawBody: Uint8Array) => Promise<Contents | undefined>) {
  let lastId = 0;

  /** Adds summaries of unverified bodies, one at a time, so that other work runs in between. */
  async function describe(records: readonly DeliveryRecord[]): Promise<void> {
    for (const { id, rawBody } of records) {
      const contents = feed.get(id) && rawBody.byteLength <= MOST_BYTES ? await read(rawBody) : undefined;
      if (contents) feed.describe(id, contents);
    }
  }

  return {
    /**
     * Shows the deliveries of a recording; sends none. Adds nothing if the recording does not arrive in full, and nothing
     * that would push other deliveries out of the feed.
     */
    async add(request: IncomingMessage): Promise<Imported> {
      const read: { number: number; delivery: RecordedDelivery }[] = [];
      const problems: { line: number; reason: string }[] = [];
      let skipped = 0;
      const skip = (line: number, reason: string) => {
        skipped++;
        if (problems.length < MOST_PROBLEMS) problems.push({ line, reason });
      };
      for await (const { number, bytes } of linesOf(uploaded(request), MOST_LINE)) {
        if (bytes?.length === 0) continue;
        const delivery = bytes === undefined ? 'it is longer than 16 MiB' : deliveryIn(bytes);
        if (typeof delivery === 'string') skip(number, delivery);
        else read.push({ number, delivery });
      }
      // Other deliveries may have arrived meanwhile.
      const isFull = roomIn(feed);
      const records: DeliveryRecord[] = [];
      for (const { number, delivery } of read) {
        if (isFull(delivery)) skip(number, 'the list is full');
        else records.push(recordOf(`r${++lastId}`, delivery));
      }
      for (const record of records) feed.put(record);
      void describe(records);
      const newest = records.toSorted((a, b) => lastOf(a).at - lastOf(b).at).at(-1);
      return { added: records.length, id: newest?.id, skipped, problems };
    },
    /**
     * Answers with these deliveries, or with all, as far as their bodies are kept. The header X-Deliveries-Omitted counts
     * the others.
     */
    async write(response: ServerResponse, ids?: ReadonlySet<unknown>): Promise<void> {
      const all = feed.list().filter(({ id }) => ids?.has(id) ?? true);
      const kept = all.filter(({ bodyDropped }) => !bodyDropped);
      response.writeHead(200, {
        'Content-Type': 'application/x-ndjson; charset=utf-8',
        'Content-Disposition': 'attachment; filename="deliveries.ndjson"',
        'X-Deliveries-Omitted': all.length - kept.length,
      });
      await pipeline(Readable.from(linesFor(kept)), response);
    },
  };
}

/** The chunks of an upload. Throws HttpError when it is too large or does not arrive in full. */
async function* uploaded(request: IncomingMessage): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of chunksOf(request)) {
    total += chunk.length;
    if (total > MOST_UPLOADED) throw new HttpError(413, 'The recording is larger than 64 MiB. Open a part of it.');
    yield chunk;
  }
}

/** Returns a function that reserves a place in a feed for a delivery, and returns true if the feed is full. */
function roomIn(feed: Feed): (delivery: RecordedDelivery) => boolean {
  let places = feed.maxDeliveries - feed.list().length;
  let bytes = feed.maxBytes - feed.bytes;
  return (delivery) => {
    if (places <= 0 || bytes <= 0) return true;
    places--;
    bytes -= sizeOf(delivery);
    return false;
  };
}

/** The delivery of a line, or the problem with the line. */
function deliveryIn(line: Buffer): RecordedDelivery | string {
  return isReadable(line) ? readLine(line.toString()) : 'it has too many values';
}

/** Approximate size of what is kept, in bytes. */
const sizeOf = ({ body, headers, path }: RecordedDelivery) =>
  body.byteLength + 2 * headers.flat().reduce((size, text) => size + text.length, path.length) + 1000;

function recordOf(id: string, { at, path, headers, body, status }: RecordedDelivery): DeliveryRecord {
  const answer = status === undefined ? { code: 'NO_RESPONSE', reason: 'The recording has no response.' } : { status };
  // The file may claim that a forgery is authentic.
  return { id, target: path, rawBody: body, verified: false, recorded: true, attempts: [{ at, headers, ...answer }] };
}

function* linesFor(records: readonly KeptDelivery[]): Generator<string> {
  for (const [index, record] of records.entries()) {
    const last = lastOf(record);
    const { at, headers, status, fault } = last;
    const authentic = record.verified ?? fault === undefined;
    const about = { at, method: 'POST', path: pathOf(record.target), headers, status, verdict: verdictOf(last) };
    yield recordingLine({ ...about, body: record.rawBody, number: index + 1, authentic });
  }
}

/** The path of a target, which may be a URL. */
function pathOf(target: string): string {
  if (!URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

export type Recordings = ReturnType<typeof createRecordings>;

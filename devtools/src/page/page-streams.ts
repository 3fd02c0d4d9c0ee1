import type { ServerResponse } from 'node:http';
import type { Feed } from '../deliveries/feed.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { summaryOf } from '../deliveries/views.js';
import { HttpError } from '../http.js';

/** Options of the page's streams. */
export interface StreamOptions {
  readonly feed: Feed;
  /** The state, as in `GET /api/state`. */
  readonly state: () => object;
  readonly contracts?: (() => KnownContracts) | undefined;
  /** How long changes are batched, in milliseconds. (Default: 100.) */
  readonly flushMs?: number | undefined;
  /** Interval of heartbeats, and the time within which a reader must have read the last event, in milliseconds. (Default: 15 000.) */
  readonly heartbeatMs?: number | undefined;
  /** Limit of open streams. (Default: 20.) */
  readonly maxStreams?: number | undefined;
}

/** Summaries per event: the most that is buffered for a slow reader. */
const BATCH = 500;

interface Stream {
  readonly response: ServerResponse;
  /** Ids still to be sent, each once, so that a slow reader costs little memory. */
  readonly ids: Set<string>;
  state: boolean;
  cleared: boolean;
  /** Since when the reader is behind; undefined while it keeps up. */
  slow: boolean;
}

/** The open streams: lines of JSON, and empty ones as heartbeats. */
export function createStreams(options: StreamOptions) {
  const { feed, state, contracts, flushMs = 100, heartbeatMs = 15_000, maxStreams = 20 } = options;
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (streams.size > 0) timer ??= setTimeout(flush, flushMs);
  }

  function flush(): void {
    timer = undefined;
    for (const stream of streams) send(stream);
  }

  function send(stream: Stream): void {
    const { response, ids } = stream;
    // A slow reader gets the rest after it has read this; nothing is buffered for it.
    if (response.writableNeedDrain) return;
    if (stream.cleared) write(stream, 'cleared', {});
    if (stream.state) write(stream, 'state', state());
    stream.cleared = false;
    stream.state = false;
    const batch = [...ids].slice(0, BATCH);
    for (const id of batch) ids.delete(id);
    const known = contracts?.();
    const summaries = batch.flatMap((id) => feed.get(id) ?? []).map((record) => summaryOf(record, known));
    if (summaries.length > 0) write(stream, 'deliveries', summaries);
    if (ids.size > 0) schedule();
  }

  function write({ response }: Stream, event: string, data: object): void {
    response.write(`${JSON.stringify({ event, data })}\n`);
  }

  const unsubscribe = feed.subscribe((record) => {
    for (const stream of streams) {
      if (record) {
        stream.ids.add(record.id);
        // Records that the feed has dropped since are not sent.
        if (stream.ids.size > feed.maxDeliveries) stream.ids.delete(stream.ids.values().next().value as string);
      } else {
        stream.ids.clear();
        stream.cleared = true;
      }
    }
    schedule();
  });

  const heartbeat = setInterval(() => {
    for (const stream of streams) {
      if (!stream.response.writableNeedDrain) {
        stream.slow = false;
        stream.response.write('\n');
      } else if (stream.slow) stream.response.destroy();
      else stream.slow = true;
    }
  }, heartbeatMs);

  return {
    /** Turns a response into a stream. Throws HttpError when there are too many. */
    open(response: ServerResponse): void {
      if (streams.size >= maxStreams)
        throw new HttpError(503, 'The page is open in too many tabs. Close some of them.');
      const stream: Stream = { response, ids: new Set(), state: true, cleared: false, slow: false };
      streams.add(stream);
      response.on('close', () => streams.delete(stream));
      response.on('error', () => response.destroy());
      response.on('drain', () => {
        stream.slow = false;
        schedule();
      });
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
      send(stream);
    },
    /** Sends the changed state to every stream. */
    stateChanged(): void {
      for (const stream of streams) stream.state = true;
      schedule();
    },
    close(): void {
      unsubscribe();
      clearTimeout(timer);
      clearInterval(heartbeat);
      for (const { response } of streams) response.destroy();
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;

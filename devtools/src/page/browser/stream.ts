import { type Api, ApiError } from './api.js';
import type { State, Summary } from './types.js';

/** `lost` when the page was connected before, or has tried. */
export type Connection =
  | { readonly kind: 'connecting'; readonly lost: boolean }
  | { readonly kind: 'live'; readonly lost: false }
  | {
      readonly kind: 'waiting';
      readonly lost: true;
      /** When it tries again, Unix milliseconds of this computer. */
      readonly until: number;
      readonly reason: string;
      tryNow(): void;
    };

export interface Hooks {
  readonly onState: (state: State) => void;
  /** All deliveries. */
  readonly onSnapshot: (deliveries: Summary[]) => void;
  /** New and changed ones. */
  readonly onDeliveries: (deliveries: Summary[]) => void;
  readonly onCleared: () => void;
  readonly onConnection: (connection: Connection) => void;
  readonly onUnauthorized: () => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Longer than the server's heartbeat interval of 15 s. */
const SILENCE_MS = 45_000;

/** Waits, unless `now` is called or the computer comes online before. */
function waitFor(ms: number): { readonly over: Promise<void>; now(): void } {
  let now = () => {};
  const over = new Promise<void>((resolve) => {
    now = resolve;
    setTimeout(resolve, ms);
    addEventListener('online', () => resolve(), { once: true });
  });
  return { over, now };
}

/** Why the connection ended. The messages of browsers do not help. */
function reasonOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'The connection broke. Is the command still running?';
}

/**
 * The lines of JSON in a response, without the empty ones of heartbeats.
 * @param onBytes called with everything that comes
 */
async function* jsonLines(body: ReadableStream<Uint8Array>, onBytes: () => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Follows the deliveries until the token is refused. Reconnects after a delay whenever the connection ends, and then loads
 * everything again, because it cannot know what it missed.
 */
export async function follow(api: Api, hooks: Hooks): Promise<void> {
  let failures = 0;

  async function once(): Promise<void> {
    const abort = new AbortController();
    let timer = setTimeout(() => abort.abort(), SILENCE_MS);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), SILENCE_MS);
    };
    try {
      // The stream is opened first, so that changes during the snapshot are not lost.
      const { body } = await api.open('stream', abort.signal);
      if (!body) return;
      hooks.onState(await api.get('state', abort.signal));
      hooks.onSnapshot((await api.get('deliveries', abort.signal)).deliveries);
      failures = 0;
      hooks.onConnection({ kind: 'live', lost: false });
      for await (const { event, data } of jsonLines(body, alive)) {
        if (event === 'deliveries') hooks.onDeliveries(data);
        else if (event === 'cleared') hooks.onCleared();
        else if (event === 'state') hooks.onState(data);
      }
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  for (;;) {
    hooks.onConnection({ kind: 'connecting', lost: failures > 0 });
    let reason = 'The command has closed the connection.';
    try {
      await once();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return hooks.onUnauthorized();
      reason = reasonOf(error);
    }
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++) * (0.75 + Math.random() / 4);
    const wait = waitFor(ms);
    hooks.onConnection({ kind: 'waiting', lost: true, until: Date.now() + ms, reason, tryNow: wait.now });
    await wait.over;
  }
}

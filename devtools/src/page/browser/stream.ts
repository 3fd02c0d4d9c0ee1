import { type Api, ApiError, messageOf } from './api.js';
import { serverSentEvents } from './sse.js';
import type { State, Summary } from './types.js';

export type Connection =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'waiting'; readonly until: number; readonly reason: string };

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

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
  });
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
      hooks.onConnection({ kind: 'live' });
      for await (const { event, data } of serverSentEvents(body, alive)) {
        if (event === 'deliveries') hooks.onDeliveries(JSON.parse(data));
        else if (event === 'cleared') hooks.onCleared();
        else if (event === 'state') hooks.onState(JSON.parse(data));
      }
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  for (;;) {
    hooks.onConnection({ kind: 'connecting' });
    let reason = 'The connection was closed.';
    try {
      await once();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return hooks.onUnauthorized();
      reason = messageOf(error);
    }
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++) * (0.75 + Math.random() / 4);
    hooks.onConnection({ kind: 'waiting', until: Date.now() + ms, reason });
    await wait(ms);
  }
}

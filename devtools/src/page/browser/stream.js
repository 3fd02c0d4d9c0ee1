import { ApiError, messageOf } from './api.js';
import { serverSentEvents } from './sse.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {{ kind: 'connecting' } | { kind: 'live' } | { kind: 'waiting', until: number, reason: string }} Connection */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Longer than the server's heartbeat interval of 15 s. */
const SILENCE_MS = 45_000;

/** @param {number} ms */
function wait(ms) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve(undefined);
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
  });
}

/**
 * Follows the deliveries until the token is refused. Reconnects after a delay whenever the connection ends, and then loads
 * everything again, because it cannot know what it missed.
 * @param {import('./api.js').Api} api
 * @param {object} hooks
 * @param {(state: State) => void} hooks.onState
 * @param {(deliveries: Summary[]) => void} hooks.onSnapshot all deliveries
 * @param {(deliveries: Summary[]) => void} hooks.onDeliveries new and changed ones
 * @param {() => void} hooks.onCleared
 * @param {(connection: Connection) => void} hooks.onConnection
 * @param {() => void} hooks.onUnauthorized
 */
export async function follow(api, { onState, onSnapshot, onDeliveries, onCleared, onConnection, onUnauthorized }) {
  let failures = 0;

  async function once() {
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
      onState(await api.get('state', abort.signal));
      onSnapshot((await api.get('deliveries', abort.signal)).deliveries);
      failures = 0;
      onConnection({ kind: 'live' });
      for await (const { event, data } of serverSentEvents(body, alive)) {
        if (event === 'deliveries') onDeliveries(JSON.parse(data));
        else if (event === 'cleared') onCleared();
        else if (event === 'state') onState(JSON.parse(data));
      }
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  for (;;) {
    onConnection({ kind: 'connecting' });
    let reason = 'The connection was closed.';
    try {
      await once();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return onUnauthorized();
      reason = messageOf(error);
    }
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++) * (0.75 + Math.random() / 4);
    onConnection({ kind: 'waiting', until: Date.now() + ms, reason });
    await wait(ms);
  }
}

// The same by a timer of the server that gets the deliveries.
import { setTimeout } from 'node:timers/promises';
import { serve } from '../serve.js';
import { pool, receiver, run } from './receiver.js';

const closing = new AbortController();
const { signal } = closing;

/** A run every hour. The next one starts when the last one has ended, so that they never overlap. */
async function reconcileHourly(): Promise<void> {
  while (!signal.aborted) {
    await run(signal);
    await setTimeout(3_600_000, undefined, { signal, ref: false }).catch(() => {});
  }
}
const reconciling = reconcileHourly();
// A ConfigError: it would fail again in an hour.
reconciling.catch((error) => console.error(error));

serve(receiver, async () => {
  closing.abort();
  await reconciling.catch(() => {});
  await pool.end();
});

import { monotonic } from '../clock.js';
import { tell } from './steps.js';

/** The grace period of an impatient orchestrator. */
export const DRAIN_MS = 8000;
/** How long to keep reading what has arrived. */
const READ_MS = 100;

/** On SIGTERM: drains, closes, and exits. */
export function shutDownOnSigterm(
  drain: () => Promise<{ readonly unfinished: number }>,
  close: () => Promise<unknown>,
): void {
  process.once('SIGTERM', async () => {
    tell({ draining: monotonic() });
    const { unfinished } = await drain();
    // As the README says: what arrived while the process was frozen still has to be read, and is answered 503.
    await new Promise((resolve) => setTimeout(resolve, READ_MS));
    const closing = monotonic();
    // What was sent before now is read within a few turns: one accepts a connection and the next one reads it.
    for (let turns = 0; turns < 4; turns++) await turn();
    tell({ closing, unfinished });
    await close();
    process.exit(unfinished === 0 ? 0 : 1);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

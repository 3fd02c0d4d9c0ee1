import { monotonic } from '../clock.js';
import { tell } from './steps.js';

/** As long as an orchestrator that is in a hurry gives. */
export const DRAIN_MS = 8000;
/** How long what has arrived is still read. */
const READ_MS = 100;

/** On SIGTERM: has what is under way finished, then closes what is there to close, and ends. */
export function shutDownOnSigterm(
  drain: () => Promise<{ readonly unfinished: number }>,
  close: () => Promise<unknown>,
): void {
  process.once('SIGTERM', async () => {
    tell({ draining: monotonic() });
    const { unfinished } = await drain();
    // As the README says: what came while the process was frozen is still to be read, and is answered 503.
    await new Promise((resolve) => setTimeout(resolve, READ_MS));
    const closing = monotonic();
    // What was sent before this moment is read within a few turns: a connection is accepted in one and read in the next.
    for (let turns = 0; turns < 4; turns++) await turn();
    tell({ closing, unfinished });
    await close();
    process.exit(unfinished === 0 ? 0 : 1);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

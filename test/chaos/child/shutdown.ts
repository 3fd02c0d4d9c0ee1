import { monotonic } from '../clock.js';
import { openPlaces } from './places.js';
import { answers, tell } from './steps.js';

/** The grace period of an impatient orchestrator. */
export const DRAIN_MS = 8000;
/** How long to keep reading what has arrived. */
const READ_MS = 100;
/** More than connections can be waiting to be accepted. */
const TURNS = 500;

/** On SIGTERM: drains, closes, and exits. When asked what is left: drains, and counts. */
export function shutDownOnSigterm(
  drain: () => Promise<{ readonly unfinished: number }>,
  close: () => Promise<unknown>,
): void {
  let drained: ReturnType<typeof drain> | undefined;
  answers['left?'] = async () => {
    drained ??= drain();
    const { unfinished } = await drained;
    // It may be over when it is asked for again.
    if (unfinished > 0) drained = undefined;
    return { unfinished, places: await openPlaces() };
  };
  process.once('SIGTERM', async () => {
    tell({ draining: monotonic() });
    const { unfinished } = await drain();
    // As the README says: what arrived while the process was frozen still has to be read, and is answered 503.
    await new Promise((resolve) => setTimeout(resolve, READ_MS));
    const closing = monotonic();
    // A turn accepts one connection, and the next one reads it. On a busy machine the wait may have had few turns.
    for (let turns = 0; turns < TURNS; turns++) await turn();
    tell({ closing, unfinished });
    await close();
    process.exit(unfinished === 0 ? 0 : 1);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

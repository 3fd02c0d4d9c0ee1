import { startWorker } from './engines.js';
import { DRAIN_MS, shutDownOnSigterm } from './shutdown.js';
import { settings, tell } from './steps.js';
import { openWork } from './stores.js';

const work = await openWork();
const stops = [await startWorker(work)];
if (settings.mode.finality?.reconciledBy === 'worker') {
  // Loaded on demand: this takes longer to load than everything else.
  const { startReconciling } = await import('./reconciling.js');
  stops.push(startReconciling(work));
}

async function drain(): Promise<{ unfinished: number }> {
  const stopped = Promise.all(stops.map((stop) => stop())).then(
    () => 0,
    () => 1,
  );
  const late = new Promise<number>((resolve) => setTimeout(resolve, DRAIN_MS, 1));
  return { unfinished: await Promise.race([stopped, late]) };
}

shutDownOnSigterm(drain, async () => {});
tell({ port: 0 });

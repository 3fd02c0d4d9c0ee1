import { startWorker } from './engines.js';
import { DRAIN_MS, shutDownOnSigterm } from './shutdown.js';
import { tell } from './steps.js';

const stop = await startWorker();

async function drain(): Promise<{ unfinished: number }> {
  const stopped = stop().then(
    () => 0,
    () => 1,
  );
  const late = new Promise<number>((resolve) => setTimeout(resolve, DRAIN_MS, 1));
  return { unfinished: await Promise.race([stopped, late]) };
}

shutDownOnSigterm(drain, async () => {});
tell({ port: 0 });

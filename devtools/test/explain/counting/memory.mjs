// Explains bodies one after the other, and tells by how many MiB the process grew at most.

import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { explainFailure, repeated, timesIn } = await import(pathToFileURL(process.argv[2]).href);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const delivery = { signature: 'ab'.repeat(32), timestamp: '1795176000', secret: 'whsec-test', now: 1795176000000 };
explainFailure({ ...delivery, rawBody: '[]' });
collect();
const peak = () => process.resourceUsage().maxRSS / 1024;
const before = peak();

process.on('message', (bodies) => {
  for (const { frame, unit, size } of bodies) {
    explainFailure({ ...delivery, rawBody: Buffer.from(repeated(frame, unit, timesIn(size, unit))) });
    collect();
  }
  process.send(Math.round(peak() - before));
});

// Explains bodies one after the other, and tells by how many MiB the process grew at most, and the time of its processor.

import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { explainFailure, repeated } = await import(pathToFileURL(process.argv[2]).href);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const delivery = { signature: 'ab'.repeat(32), timestamp: '1795176000', secret: 'whsec-test', now: 1795176000000 };
explainFailure({ ...delivery, rawBody: '[]' });
collect();
const peak = () => process.resourceUsage().maxRSS / 1024;
const before = peak();

process.on('message', ({ frame, unit, size }) => {
  const rawBody = Buffer.from(repeated(frame, unit, size));
  const start = process.cpuUsage();
  explainFailure({ ...delivery, rawBody });
  const { user, system } = process.cpuUsage(start);
  collect();
  process.send({ mib: Math.round(peak() - before), ms: (user + system) / 1000 });
});

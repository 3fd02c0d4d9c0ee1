// Takes one authentic body, from the file argv[3], and sends the peak of its memory over the idle process, in bytes: argv[2] says what
// takes it.
import { readFileSync } from 'node:fs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { createReceiver, signDelivery } from '../lib/ours.mjs';

const receiver = createReceiver({
  secret: () => ({ secret: SECRET, source: 'tenant' }),
  onEvent: () => {},
  onError: () => {},
  logger: { debug: () => {}, info: () => {}, warn: ({ err }) => String(err.stack), error: () => {} },
});

const KINDS = {
  parse({ rawBody: body }) {
    try {
      return JSON.parse(body.toString());
    } catch {
      return undefined;
    }
  },
  receive: ({ rawBody: body, signature, timestamp }) => receiver.handle({ rawBody: body, signature, timestamp }),
};

const [, , kind, file] = process.argv;
for (let warmUp = 0; warmUp < 500; warmUp++) await KINDS[kind](freshDelivery(1));
const delivery = signDelivery(readFileSync(file), { secret: SECRET });
globalThis.gc();
const idle = process.memoryUsage.rss();
const kept = await KINDS[kind](delivery);
const bytes = process.resourceUsage().maxRSS * 1024 - idle;
process.send({ bytes, status: kept?.status }, () => process.exit());

// `npm run demo`: the whole system on this machine, a line for each step. A token on a real chain (anvil; without one a chain
// that was recorded), the service that turns its transfers into signed deliveries, and an Express receiver that is registered with
// it over the API. Ends with 0 when everything was as it should be. `npm run demo -- --watch` then goes on with a transfer
// every other second, and serves the page that shows them.
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { explainFailure } from 'event-webhooks/explain';
import { openChain } from './demo/chain.js';
import { startSystem } from './demo/system.js';
import { watch } from './demo/watch.js';

const isWatching = process.argv.includes('--watch');
let wrong = 0;
let transfers = 0;

function step(title: string, text: string, isRight = true): void {
  if (!isRight) wrong++;
  console.log(`${isRight ? 'ok ' : 'NO '} ${title.padEnd(16)} ${text}`);
}

const chain = await openChain();
step('chain', `a token at ${chain.token.address}, on ${chain.what}`);
const page = isWatching ? watch(chain) : undefined;
const system = await startSystem(chain, (delivery) => page?.show(delivery));
const { service, ledger, refusals } = system;
step('service', `the registration API at ${service.url}, watching chain ${system.watcher.chainId}`);
step('receiver', `Express at ${system.url}`);
step('registered', `over the API: webhook ${system.webhook.id}, its secret shown once and kept`);

/** Has a transfer happen. Gives its transaction, and that of the last of its block. */
async function happen(): Promise<{ hash: string; last: string }> {
  const hashes = await chain.transfer();
  const [hash, last] = [hashes.at(0), hashes.at(-1)];
  if (hash === undefined || last === undefined) throw new Error('The recorded chain is at its end.');
  transfers += hashes.length;
  return { hash, last };
}

/** Waits until all of it is delivered. Says how the first attempts were answered, and what took effect. */
async function delivered({ hash, last }: { hash: string; last: string }) {
  const { attempts } = await system.delivery(hash, ({ state }) => state === 'delivered');
  await system.delivery(last, ({ state }) => state === 'delivered');
  const { amount = 0n, times = 0 } = ledger.get(hash) ?? {};
  const answers = attempts.map(({ status }) => status ?? 'none').join(', ');
  const effect = `${Number(amount) / 1e6} tokens, took effect ${times === 1 ? 'once' : `${times} times`}`;
  return { hash, answers, effect, times };
}

/** Has a transfer happen while something goes wrong, until it has been refused; then no more. */
async function refused(title: string, fault: 'wrongSignature' | 'oldTimestamp'): Promise<void> {
  service.setFaults({ [fault]: true });
  const happened = await happen();
  const { attempts, rawBody } = await system.delivery(happened.hash, (each) => each.attempts.at(-1)?.status === 403);
  service.setFaults({ [fault]: false });
  const [attempt] = attempts;
  const header = (name: string) => attempt?.headers.find(([each]) => each === name)?.[1];
  const [finding] = explainFailure({
    rawBody,
    signature: header(serviceHeaders.signature),
    timestamp: header(serviceHeaders.timestamp),
    secret: system.secret,
    now: attempt?.at,
  });
  const { answers, times } = await delivered(happened);
  step(title, `answered ${answers}. ${finding?.what}`, /^403(, 403)*, 200$/.test(answers) && times === 1);
}

const first = await delivered(await happen());
step(
  'transfer',
  `${first.hash.slice(0, 10)}… mined, signed, delivered: ${first.answers}; ${first.effect}`,
  first.answers === '200',
);

service.setFaults({ duplicate: true });
const twice = await delivered(await happen());
await service.idle();
service.setFaults({ duplicate: false });
step(
  'duplicate',
  `the same delivery sent twice; took effect ${ledger.get(twice.hash)?.times === 1 ? 'once' : 'more than once'}`,
  ledger.get(twice.hash)?.times === 1,
);

await refused('wrong signature', 'wrongSignature');
await refused('old timestamp', 'oldTimestamp');

system.fail(1);
const retried = await delivered(await happen());
step('failing handler', `answered ${retried.answers}; ${retried.effect}`, retried.answers === '500, 200');

const forged = createTestDelivery([sampleEventEmitted()], { secret: 'guessed' });
const before = ledger.size;
const answer = await forged.send(system.url);
const bytes = (await answer.arrayBuffer()).byteLength;
step(
  'forged',
  `by a stranger: ${answer.status}, ${bytes} bytes of answer`,
  answer.status === 403 && ledger.size === before && bytes === 0,
);

const sound = [...ledger.values()].every((effect) => effect.times === 1) && ledger.size === transfers;
step(
  'result',
  `${transfers} transfers on the chain, ${ledger.size} took effect once each; ${refusals.length} refusals and failures`,
  sound,
);

if (wrong === 0) await page?.goOn(service);
await system.close();
await chain.close();
console.log(wrong === 0 ? 'All is as it should be.' : `${wrong} steps are not as they should be.`);
process.exitCode = wrong === 0 ? 0 : 1;

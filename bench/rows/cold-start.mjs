import { withConsumer } from '../lib/consumer.mjs';
import { pick } from '../lib/effort.mjs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { bundleFor, hosts } from '../lib/runtimes.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const HANDLERS = {
  nothing: `
    const handler = async (request) => {
      await request.arrayBuffer();
      return new Response();
    };`,
  verify: `
    import { serviceHeaders, verifySignature } from 'event-webhook-receiver/verify';
    const handler = async (request) => {
      const [signature, timestamp] = ['signature', 'timestamp'].map((name) => request.headers.get(serviceHeaders[name]));
      const genuine = await verifySignature(await request.arrayBuffer(), signature, timestamp, '${SECRET}');
      return new Response(null, { status: genuine ? 200 : 403 });
    };`,
  fetch: `
    import { fetchHandler } from 'event-webhook-receiver/fetch';
    const handler = fetchHandler({ secret: '${SECRET}', onEvent() {} });`,
};

/** Milliseconds from nothing but the running runtime to the answer to a first delivery. */
async function firstAnswer(askNew, name) {
  const { body, headers } = freshDelivery(1);
  const request = { method: 'POST', body: body.toString(), headers };
  const start = performance.now();
  const response = await askNew(name, 'http://localhost/', request);
  await response.arrayBuffer();
  const ms = performance.now() - start;
  if (response.status !== 200) throw new Error(`The first delivery to ${name} was answered ${response.status}.`);
  return ms;
}

export const benchmarks = hosts.map((host) => ({
  name: `cold start, ${host.name}`,
  skipped: host.skipped,
  run: () =>
    withConsumer(async (folder) => {
      const scripts = {};
      for (const name in HANDLERS) scripts[name] = await bundleFor(host, HANDLERS[name], folder);
      const { askNew, stop } = await host.startAnew(scripts);
      const names = Object.fromEntries(Object.keys(HANDLERS).map((name) => [name, name]));
      // Until what starts them is warm itself.
      await interleave(names, pick(5), (name) => firstAnswer(askNew, name));
      const times = await interleave(names, pick(41, 9), (name) => firstAnswer(askNew, name));
      await stop();
      return ['verify', 'fetch'].map((name) => {
        const added = times[name].map((time, round) => time - times.nothing[round]);
        const label = `first delivery, ./${name} (${host.name})`;
        return { name: label, against: 'an empty handler', measure: '+ ms', ...summarise(added) };
      });
    }),
}));

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withConsumer } from '../lib/consumer.mjs';
import { freshDelivery, SECRET } from '../lib/fixtures.mjs';
import { bundleFor, hosts } from '../lib/runtimes.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const CHILD = fileURLToPath(new URL('../children/cold-start.mjs', import.meta.url));

const HANDLERS = {
  nothing: `
    const handler = async (request) => {
      await request.arrayBuffer();
      return new Response();
    };`,
  './verify': `
    import { serviceHeaders, verifySignature } from 'event-webhook-receiver/verify';
    const handler = async (request) => {
      const [signature, timestamp] = ['signature', 'timestamp'].map((name) => request.headers.get(serviceHeaders[name]));
      const genuine = verifySignature(await request.arrayBuffer(), signature, timestamp, '${SECRET}');
      return new Response(null, { status: genuine ? 200 : 403 });
    };`,
  './fetch': `
    import { fetchHandler } from 'event-webhook-receiver/fetch';
    const handler = fetchHandler({ secret: '${SECRET}', toleranceSeconds: 300, onEvent() {} });`,
};

/** Milliseconds to the first answered delivery of a runtime that was started for it. */
function firstAnswer(host, script, folder) {
  const { body, headers } = freshDelivery(1);
  const request = join(folder, 'request.json');
  writeFileSync(request, JSON.stringify({ body: body.toString(), headers }));
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHILD, host, script, request], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The first delivery in ${host} failed: ${stderr}`);
  return Number(stdout);
}

export const benchmarks = hosts.map((host) => ({
  name: `cold start, ${host.name}`,
  skipped: host.skipped,
  run: ({ quick }) =>
    withConsumer(async (folder) => {
      const scripts = {};
      for (const [index, [name, text]] of Object.entries(HANDLERS).entries()) {
        scripts[name] = join(folder, `${index}.js`);
        writeFileSync(scripts[name], await bundleFor(host, text, folder));
      }
      const times = await interleave(scripts, quick ? 5 : 21, (script) => firstAnswer(host.name, script, folder));
      return ['./verify', './fetch'].map((name) => {
        const added = times[name].map((time, round) => time - times.nothing[round]);
        const measure = '+ ms';
        return {
          name: `first delivery, ${name} (${host.name})`,
          against: 'an empty handler',
          measure,
          ...summarise(added),
        };
      });
    }),
}));

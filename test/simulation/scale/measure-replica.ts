// The CPU that one replica spends on a delivery: an Express app in its own process, with the store in memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { signDelivery } from '../../../src/signature/sign-delivery.js';
import { sampleEventEmitted } from '../../../src/testing/samples.js';

const SECRET = 'whsec-scale';
const ROUNDS = 3000;

function send(agent: Agent, port: number, events: number): Promise<void> {
  const text = JSON.stringify(Array.from({ length: events }, () => sampleEventEmitted()));
  const { body, headers } = signDelivery(text, { secret: SECRET });
  return new Promise((resolve, reject) => {
    request({
      port,
      method: 'POST',
      path: '/webhooks',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
      .on('error', reject)
      .on('response', (response) => {
        response
          .resume()
          .on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
      })
      .end(body);
  });
}

/** CPU in ms for each delivery, and for each event in it. */
export async function measureReplica(): Promise<{ perDeliveryMs: number; perEventMs: number }> {
  const child = fork(fileURLToPath(new URL('./replica-child.ts', import.meta.url)), [SECRET], {
    execArgv: ['--import', 'tsx'],
  });
  try {
    const [port] = (await once(child, 'message')) as [number];
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const cpuMs = async (events: number): Promise<number> => {
      const rounds = Math.ceil(ROUNDS / Math.sqrt(events));
      const spent = async () => {
        child.send('cpu');
        const [ms] = (await once(child, 'message')) as [number];
        return ms;
      };
      for (let round = 0; round < 500; round++) await send(agent, port, events);
      const before = await spent();
      for (let round = 0; round < rounds; round++) await send(agent, port, events);
      return ((await spent()) - before) / rounds;
    };
    const [one, hundred] = [await cpuMs(1), await cpuMs(100)];
    agent.destroy();
    const perEventMs = (hundred - one) / 99;
    return { perDeliveryMs: Number((one - perEventMs).toPrecision(3)), perEventMs: Number(perEventMs.toPrecision(3)) };
  } finally {
    child.kill();
  }
}

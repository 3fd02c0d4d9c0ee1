import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { signDelivery } from '../../../src/signature/sign-delivery.js';
import { sampleEventEmitted } from '../../../src/testing/samples.js';

const SECRET = 'whsec-scale';

/** A real replica in its own process. */
export interface ReplicaProcess {
  /** Sends new events in one delivery. Rejects unless it is answered 200. */
  send(events: number): Promise<void>;
  /** The CPU that it has used, in ms. */
  cpuMs(): Promise<number>;
  stop(): void;
}

/** Starts an Express app with a store: that in memory, or one on a server. */
export async function startReplica(store = 'memory', url = '', connections = 1): Promise<ReplicaProcess> {
  const file = fileURLToPath(new URL('./replica-child.ts', import.meta.url));
  const child: ChildProcess = fork(file, [SECRET, store, url], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send(events) {
      const text = JSON.stringify(Array.from({ length: events }, () => sampleEventEmitted()));
      const { body, headers } = signDelivery(text, { secret: SECRET });
      const length = { 'content-length': Buffer.byteLength(body) };
      return new Promise((resolve, reject) => {
        request({ port, method: 'POST', path: '/webhooks', agent, headers: { ...headers, ...length } })
          .on('error', reject)
          .on('response', (response) => {
            const { statusCode } = response;
            response
              .resume()
              .on('end', () => (statusCode === 200 ? resolve() : reject(new Error(`The answer is ${statusCode}.`))));
          })
          .end(body);
      });
    },
    async cpuMs() {
      child.send('cpu');
      const [ms] = (await once(child, 'message')) as [number];
      return ms;
    },
    stop() {
      agent.destroy();
      child.kill();
    },
  };
}

// What AWS does with a function, on this machine: turns HTTP requests into events of an HTTP API, starts instances on
// demand, gives each one invocation at a time, freezes it in between, and kills it at the function's timeout.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LambdaEvent, LambdaResult } from 'event-webhook-receiver/lambda';
import type { Answer, Invocation } from './instance.js';

export interface HostOptions {
  /** The bundled instance.ts. */
  readonly program: string;
  /** Of the function. */
  readonly env: NodeJS.ProcessEnv;
  /** The function's timeout, in ms. */
  readonly timeoutMs: number;
  /** How many instances there may be; beyond that, requests are answered 429. */
  readonly maxInstances: number;
}

export interface Host {
  readonly url: string;
  /** How many instances were started, and how often one was thawed for an invocation. */
  readonly counts: { readonly started: number; readonly thawed: number };
  /** Kills an instance in the middle of an invocation; waits for one. */
  kill(): Promise<void>;
  /** Freezes an instance in the middle of an invocation for a time; waits for one. */
  freeze(ms: number): Promise<void>;
  close(): Promise<void>;
}

interface Instance {
  readonly process: ChildProcess;
  /** Resolves when it has loaded the function, which does not count for the timeout. */
  readonly initialized: Promise<unknown>;
  /** Resolves when it has died. */
  readonly died: Promise<Answer>;
}

export async function startHost({ program, env, timeoutMs, maxInstances }: HostOptions): Promise<Host> {
  const instances = new Set<Instance>();
  const idle: Instance[] = [];
  const busy = new Set<Instance>();
  const counts = { started: 0, thawed: 0 };

  function startInstance(): Instance {
    counts.started++;
    const process = fork(program, { env, execArgv: [] });
    const died = once(process, 'exit').then((): Answer => {
      instances.delete(instance);
      if (idle.includes(instance)) idle.splice(idle.indexOf(instance), 1);
      return {};
    });
    const initialized = new Promise((resolve) => process.once('message', resolve));
    const instance = { process, died, initialized };
    instances.add(instance);
    return instance;
  }

  /** Thaws an instance, or starts another one. */
  function takeInstance(): Instance | undefined {
    const thawed = idle.pop();
    if (!thawed) return instances.size < maxInstances ? startInstance() : undefined;
    counts.thawed++;
    thawed.process.kill('SIGCONT');
    return thawed;
  }

  /** The function's answer; undefined if there is none. */
  async function invoke(instance: Instance, event: LambdaEvent): Promise<LambdaResult | undefined> {
    const { process, died, initialized } = instance;
    await Promise.race([initialized, died]);
    const timer = setTimeout(() => process.kill('SIGKILL'), timeoutMs);
    busy.add(instance);
    try {
      const answered = new Promise<Answer>((resolve) => process.once('message', resolve));
      const invocation: Invocation = { event, deadline: Date.now() + timeoutMs };
      // If the instance is dead, so is the channel.
      process.send(invocation, () => {});
      return (await Promise.race([answered, died])).result;
    } finally {
      clearTimeout(timer);
      busy.delete(instance);
      // Whatever it has left to do waits for the next invocation.
      if (process.kill('SIGSTOP')) idle.push(instance);
    }
  }

  const server = createServer(async (request, response) => {
    const event = await toEvent(request);
    const instance = takeInstance();
    const result = instance ? await invoke(instance, event) : { statusCode: 429, headers: {}, body: '' };
    response.writeHead(result?.statusCode ?? 502, result?.headers ?? {}).end(result?.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function aBusyInstance(): Promise<ChildProcess> {
    for (;;) {
      const [instance] = busy;
      if (instance) return instance.process;
      await sleep(1);
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    counts,
    async kill() {
      (await aBusyInstance()).kill('SIGKILL');
    },
    async freeze(ms) {
      const instance = await aBusyInstance();
      instance.kill('SIGSTOP');
      await sleep(ms);
      instance.kill('SIGCONT');
    },
    async close() {
      for (const { process } of instances) process.kill('SIGKILL');
      server.closeAllConnections();
      server.close();
    },
  };
}

async function toEvent(request: IncomingMessage): Promise<LambdaEvent> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const headers = Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(',')]);
  return {
    rawPath: path,
    rawQueryString: query,
    headers: Object.fromEntries(headers),
    requestContext: { http: { method: request.method ?? '' } },
    body: await text(request),
    isBase64Encoded: false,
  };
}

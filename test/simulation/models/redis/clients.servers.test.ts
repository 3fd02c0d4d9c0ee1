import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startHalfOpenProxy } from '../../../servers/half-open-proxy.js';
import { hasRedis, needsRedis, startRedis } from '../../../servers/redis.js';
import type { TestServer } from '../../../servers/server.js';
import { Choices } from '../../kernel/choices.js';
import { World } from '../../kernel/world.js';
import { RedisHost } from './host.js';
import { SimulatedIoRedis } from './ioredis.js';
import { SimulatedNodeRedis } from './node-redis.js';

/** What a scenario does to the link between a client and the server. */
interface Rig {
  /** Appends to a list: the answer says how often the command has run. */
  push(list: string): Promise<unknown>;
  /** The server runs the next command, and the connection breaks instead of carrying its answer. */
  cutNextAnswer(): void;
  cut(): void;
  goHalfOpen(): void;
  stopServer(): Promise<void> | void;
  restartServer(): Promise<void> | void;
  /** Waits. */
  pass(ms: number): Promise<void>;
  /** How many connections the client has made. */
  connections(): number;
}

const SOCKET_TIMEOUT = 400;
const CLIENTS = ['ioredis', 'ioredis that gives up', 'node-redis'] as const;
type ClientName = (typeof CLIENTS)[number];

/** What it says in the end, when all has settled. */
type Scenario = (rig: Rig) => Promise<unknown>;

const settled = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((each) =>
    each.status === 'fulfilled' ? each.value : String(each.reason.message),
  );

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async 'an answer that is lost'(rig) {
    rig.cutNextAnswer();
    const first = await settled([rig.push('a')]);
    await rig.pass(300);
    return [first, await settled([rig.push('a')]), rig.connections()];
  },
  async 'several commands on a connection that breaks'(rig) {
    rig.cutNextAnswer();
    const calls = [rig.push('a'), rig.push('b')];
    return [await settled(calls), await settled([rig.push('c')])];
  },
  async 'a command that is sent while there is no connection'(rig) {
    rig.cut();
    await rig.pass(20);
    return [await settled([rig.push('a'), rig.push('a')]), rig.connections()];
  },
  async 'a half-open connection'(rig) {
    rig.goHalfOpen();
    const first = await settled([rig.push('a')]);
    const second = await settled([rig.push('a')]);
    await rig.pass(50);
    return [first, second, rig.connections()];
  },
  async 'a server that is down for a while'(rig) {
    await rig.stopServer();
    await rig.pass(100);
    const calls = settled([rig.push('a'), rig.push('b')]);
    // Several tries to connect are refused.
    await rig.pass(500);
    await rig.restartServer();
    return calls;
  },
  async 'the socket timeout of a connection that broke: ioredis ends the next one'(rig) {
    rig.goHalfOpen();
    const call = rig.push('a');
    await rig.pass(SOCKET_TIMEOUT / 2);
    rig.cut();
    const answers = await settled([call]);
    await rig.pass(2 * SOCKET_TIMEOUT);
    return [answers, await settled([rig.push('a')]), rig.connections()];
  },
  async 'a connection that is not used'(rig) {
    await rig.pass(3 * SOCKET_TIMEOUT);
    return [await settled([rig.push('a')]), rig.connections()];
  },
};

/** The real client, through a proxy unless the server itself fails. */
async function realRig(name: ClientName, server: TestServer, isDirect: boolean): Promise<Rig> {
  const proxy = await startHalfOpenProxy(server.port);
  onTestFinished(() => proxy.stop());
  // A proxy accepts connections while its server is down.
  const url = isDirect ? server.url : `redis://127.0.0.1:${proxy.port}`;
  let connections = 0;
  let send: (...args: string[]) => Promise<unknown>;
  if (name === 'node-redis') {
    const reconnectStrategy = (tries: number) => Math.min(50 * tries, 500);
    const client = createClient({
      url,
      pingInterval: SOCKET_TIMEOUT / 3,
      socket: { socketTimeout: SOCKET_TIMEOUT, reconnectStrategy },
    });
    client.on('error', () => {}).on('ready', () => connections++);
    onTestFinished(() => client.destroy());
    await client.connect();
    send = (...args) => client.sendCommand(args);
  } else {
    const maxRetriesPerRequest = name === 'ioredis' ? 20 : 1;
    const client = new Redis(url, { socketTimeout: SOCKET_TIMEOUT, maxRetriesPerRequest });
    client.on('error', () => {}).on('ready', () => connections++);
    onTestFinished(() => client.disconnect());
    send = (command = '', ...args) => client.call(command, ...args);
  }
  await send('del', 'a', 'b', 'c');
  return {
    push: (list) => send('rpush', list, 'x'),
    cutNextAnswer: () => proxy.cutAnswers(1),
    cut: () => proxy.cutAll(),
    goHalfOpen: () => proxy.goHalfOpen(),
    stopServer: () => server.kill(),
    restartServer: () => server.restart(),
    pass: (ms) => sleep(ms),
    connections: () => connections,
  };
}

/** Plays a scenario in a world, and returns what it says. */
async function simulate(name: ClientName, scenario: Scenario): Promise<unknown> {
  const world = new World(Choices.ofTape([]));
  const process = world.process('app');
  let connections = 0;
  let cutsNext = false;
  const cutAll = () => {
    for (const connection of [...process.connections]) connection.cut();
  };
  const host = new RedisHost(world, (_, [command]) => {
    if (command !== 'rpush' || !cutsNext) return;
    cutsNext = false;
    // What was sent together arrives together.
    world.after(0, cutAll);
  });
  const link = { onReady: () => connections++ };
  let result: { readonly value: unknown } | undefined;
  let send: ((...args: string[]) => Promise<unknown>) | undefined;
  const inTurn = <T>(act: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => process.deliver(0, () => act().then(resolve, reject)));
  const rig: Rig = {
    push: (list) => inTurn(() => (send ? send('rpush', list, 'x') : Promise.reject(new Error('No client.')))),
    cutNextAnswer: () => {
      cutsNext = true;
    },
    cut: cutAll,
    goHalfOpen: () => {
      for (const connection of process.connections) connection.halfOpen();
    },
    stopServer: () => host.server.stop(),
    restartServer: () => host.server.restart(),
    pass: (ms) => new Promise((resolve) => world.after(ms, resolve)),
    connections: () => connections,
  };
  process.start(() => {
    if (name === 'node-redis') {
      const client = new SimulatedNodeRedis(process, host, SOCKET_TIMEOUT, link.onReady);
      send = (...args) => client.sendCommand(args);
    } else {
      const maxRetriesPerRequest = name === 'ioredis' ? 20 : 1;
      const options = { socketTimeout: SOCKET_TIMEOUT, maxRetriesPerRequest };
      const client = new SimulatedIoRedis(process, host, options, link.onReady);
      send = (command = '', ...args) => client.call(command, ...args);
    }
    world.after(50, () => {
      scenario(rig).then(
        (value) => {
          result = { value };
        },
        (error: unknown) => world.fail('the scenario failed', String(error)),
      );
    });
  });
  await world.run(() => result !== undefined);
  return result?.value;
}

describe.skipIf(!hasRedis)(`the simulated clients of Redis behave as the real ones${needsRedis}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  const cases = Object.keys(SCENARIOS).flatMap((scenario) => CLIENTS.map((client) => ({ client, scenario })));
  it.each(cases)('$client: $scenario', { timeout: 60_000 }, async ({ client, scenario }) => {
    const play = SCENARIOS[scenario];
    if (play === undefined) throw new Error(`Unknown scenario: ${scenario}`);
    const real = await play(await realRig(client, server, scenario.includes('server')));
    expect(await simulate(client, play)).toEqual(real);
  });
});

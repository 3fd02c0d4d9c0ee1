import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../examples/servers/free-port.js';
import { eventually } from '../../contracts/store-helpers.js';

const SLOTS = 16_384;
const NODES = 3;
/** The offset from the port of a node to the port of its cluster bus. */
const BUS_OFFSET = 10_000;

/** Three primaries. */
export async function startRedisCluster() {
  const directory = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
  const ports: number[] = [];
  while (ports.length < NODES) {
    const port = await freePort();
    if (port + BUS_OFFSET < 65_536 && !ports.includes(port)) ports.push(port);
  }
  const children = ports.map((port) => launch(port, directory));
  const nodes = ports.map((port) => new Redis(port));
  // Clients may start before the servers: their commands wait.
  for (const node of nodes) node.on('error', () => {});
  const [first] = ports;
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((index * SLOTS) / NODES);
    const to = Math.floor(((index + 1) * SLOTS) / NODES);
    await node.cluster('ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
    await node.cluster('SET-CONFIG-EPOCH', index + 1);
    if (index > 0) await node.cluster('MEET', '127.0.0.1', Number(first));
  }
  const formed = async (node: Redis) => {
    const info = await node.cluster('INFO');
    if (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${NODES}`)) throw new Error(info);
    if (!info.includes(`cluster_slots_ok:${SLOTS}`)) throw new Error(info);
  };
  for (const node of nodes) await eventually(() => formed(node), 20_000);
  for (const node of nodes) node.disconnect();
  return {
    ports,
    async stop() {
      for (const child of children) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function launch(port: number, directory: string): ChildProcess {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`];
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
  const child = spawn('redis-server', [...settings, ...cluster], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

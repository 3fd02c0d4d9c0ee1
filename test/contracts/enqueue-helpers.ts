import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { EventEntry, WebhookEvent } from '../../src/index.js';
import { event } from '../helpers.js';
import type { EngineQueue, OpenQueue } from '../queues/engines.js';
import type { WorkerProcess } from '../queues/worker-process.js';
import type { TestServer } from '../servers/server.js';
import { eventually } from './store-helpers.js';

/** An engine that runs the contract of enqueue functions and workers. */
export interface Engine {
  readonly start: () => Promise<TestServer>;
  readonly open: OpenQueue;
  /** The name of `open` for another process. */
  readonly openName: WorkerProcess['open'];
  /** Whether it stores the events of a delivery all or none. */
  readonly isAtomic: boolean;
  /** Makes the engine's database reject some of many events, including one named `Unstorable`. Resolves to an undo. */
  readonly refuseSome: (url: string) => Promise<() => Promise<void>>;
}

export const context = { signal: new AbortController().signal, timestamp: '1700000000' };
/** What `enqueue` gets for events; their ids are the keys. */
export const entriesOf = (events: readonly WebhookEvent[], keys = idsOf(events)): EventEntry[] =>
  events.map((each, index) => ({ event: each, idempotencyKey: keys[index] ?? each.id }));
export const idsOf = (events: readonly WebhookEvent[]) => events.map(({ id }) => id);
/** Their default idempotency keys. */
export const keysOf = (events: readonly WebhookEvent[]) => events.map((each) => `${each.event}:${each.id}`);
export const enqueue = async (queue: EngineQueue, events: readonly WebhookEvent[], keys = idsOf(events)) => {
  await queue.enqueue(entriesOf(events, keys), context);
};
export const one = () => event(randomUUID());
export const some = (count: number) => Array.from({ length: count }, one);
export const jobOf = (each: WebhookEvent, idempotencyKey = each.id) => ({
  event: each,
  idempotencyKey,
  timestamp: '1700000000',
});
export const keyOf = ({ data }: { data: unknown }): unknown => {
  const { json, idempotencyKey } = Object(data);
  return json === undefined ? idempotencyKey : JSON.parse(json).idempotencyKey;
};
export const storedKeys = async (queue: EngineQueue) => (await queue.jobs()).map(keyOf).sort();

/** Runs a worker in its own process, and kills the process once the worker hangs at the given point. */
export async function untilKilled(told: WorkerProcess): Promise<void> {
  const script = fileURLToPath(new URL('../queues/worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(told)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
}

/** Retries `read` until it resolves. */
export async function eventualValue<T>(read: () => Promise<T>): Promise<T> {
  const values: T[] = [];
  await eventually(async () => values.push(await read()));
  return values[0] as T;
}

/** Keys with a meaning for an engine: numbers, separators, names of the engine's keys, and ids derived from other keys. */
export const engineKeys: readonly string[] = [
  ...['0', '-5', '007', '1e5', 'Infinity', '0:1', 'a:b', 'a:b:c'],
  ...['meta', 'wait', 'id', 'events', 'completed', 'waiting-children', 'repeat'],
  ...['66f0a5c6-1f0b-4c7e-9d3c-2d6f0a6b7c11', '66F0A5C6-1F0B-4C7E-9D3C-2D6F0A6B7C11'],
  ...['66f0a5c6-1f0b-5c7e-9d3c-2d6f0a6b7c11', '66f0a5c61f0b4c7e9d3c2d6f0a6b7c11'],
];

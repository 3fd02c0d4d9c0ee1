import { monotonic } from '../clock.js';
import type { Step } from '../faults.js';
import type { Command, Message, Order } from '../messages.js';
import type { EngineName, StoreName } from '../modes.js';
import { stepClock, useClock } from './clock.js';

/** What a process of the chaos test is told when it starts. */
export interface ChildSettings {
  readonly store: StoreName;
  readonly engine?: EngineName | undefined;
  /** Names what belongs to this run alone: tables, key prefix, queue. */
  readonly run: string;
  /** The servers of store and engine, as they are reached through wires that may be cut. */
  readonly postgresUrl: string;
  readonly redisUrl: string;
  /** Where effects go that are not in the store's transaction. */
  readonly effectsUrl: string;
  readonly sqliteFile: string;
  readonly leaseMs: number;
  readonly handlerTimeoutMs: number;
  readonly secret: string;
  /** Where it is written how far the wall clock of its machine is off, in ms. */
  readonly clockFile: string;
  /** Whether other processes step that clock too. */
  readonly sharesClock: boolean;
}

export const settings: ChildSettings = JSON.parse(process.argv[2] ?? '');

useClock(settings);

let pending: Order | undefined;
/** How many calls of clients are waiting: each part of the process adds its own. */
export const waiting: (() => number)[] = [];

process.on('message', (command: Command) => {
  if (command === 'withdraw') pending = undefined;
  else if (command === 'waiting?') tell({ waiting: waiting.reduce((sum, count) => sum + count(), 0) });
  else if (command.at === 'now') obey(command);
  else pending = command;
});
// Whoever started it is gone: a process of a test must not outlive it.
process.on('disconnect', () => process.exit(1));

export function tell(message: Message): void {
  process.send?.(message);
}

/** Comes by a step of its work, and there carries out what was ordered. */
export function pass(step: Step): void {
  if (pending?.at !== step) return;
  const order = pending;
  pending = undefined;
  obey(order);
}

function obey(order: Order): void {
  tell({ struck: order, at: monotonic() });
  if (order.act === 'kill') process.kill(process.pid, 'SIGKILL');
  if (order.act === 'stop') {
    process.kill(process.pid, 'SIGSTOP');
    tell({ awake: true });
  }
  if (order.act === 'term') process.kill(process.pid, 'SIGTERM');
  if (order.act === 'clock') stepClock(order.ms);
}

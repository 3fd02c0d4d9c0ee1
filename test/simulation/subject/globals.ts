import type { Process } from '../kernel/process.js';
import type { Timer } from '../kernel/timers.js';
import { runningWorld } from '../kernel/world.js';
import { SimulatedAbortController, SimulatedAbortSignal } from '../models/web/abort.js';
import { SimulatedRequest } from '../models/web/http.js';

function current(): Process {
  const process = runningWorld()?.current;
  if (!process) throw new Error('Code of the receiver ran outside a turn of a process.');
  return process;
}

class SimulatedDate extends Date {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [current().wall()] : given) as [number]));
  }

  static override now(): number {
    return Math.floor(current().wall());
  }
}

const simulated = {
  setTimeout: (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer =>
    current().setTimeout(() => act(...args), ms),
  clearTimeout: (timer: Timer | undefined): void => timer?.clear(),
  setImmediate: (act: (...args: unknown[]) => void, ...args: unknown[]): void => {
    current().deliver(0, () => act(...args));
  },
  // Within the turn: Node runs its own queue of ticks between two microtasks, where the next turn may begin.
  process: Object.create(process, {
    nextTick: {
      value: (act: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => act(...args)),
    },
  }),
  Date: SimulatedDate,
  performance: { now: () => current().monotonic() },
  crypto: Object.assign(Object.create(globalThis.crypto), {
    randomUUID: () => current().world.uuid(),
  }),
  Math: Object.assign(Object.create(null), mathFunctions(), {
    random: () => current().world.choices.below(1000) / 1000,
  }),
  AbortController: SimulatedAbortController,
  AbortSignal: SimulatedAbortSignal,
  Request: SimulatedRequest,
  fetch: (...args: unknown[]): Promise<unknown> => {
    const { fetch } = current();
    if (!fetch) throw new Error('The world has no fetch.');
    return fetch(...args);
  },
};

/** `Math` has properties that are not enumerable. */
function mathFunctions(): Record<string, unknown> {
  return Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Reflect.get(Math, name)]));
}

/** What shadows the globals for the code of the receiver. They belong to the process whose turn it is. */
export const globals: Readonly<Record<string, unknown>> = {
  ...simulated,
  globalThis: Object.defineProperties(
    Object.create(globalThis),
    Object.fromEntries(Object.entries(simulated).map(([name, value]) => [name, { value }])),
  ),
};

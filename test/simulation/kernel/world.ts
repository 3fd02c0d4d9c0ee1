import { Agenda } from './agenda.js';
import type { Choices } from './choices.js';
import { History } from './history.js';
import { Process } from './process.js';
import { Server } from './server.js';
import { Violation } from './violation.js';

/** Something scheduled. */
export interface Scheduled {
  cancel(): void;
}

const MOST_STEPS = 20_000;

/** The world whose turn it is: the simulated globals belong to its current process. */
let running: World | undefined;

export function runningWorld(): World | undefined {
  return running;
}

/**
 * A simulated world: what happens next is decided by virtual time and by the choices of its schedule. A step is one turn of
 * a process, or of the world itself (a server, the network, a sender); then all microtasks run, then the invariants are
 * checked.
 */
export class World {
  readonly choices: Choices;
  readonly history = new History(() => this.now);
  readonly processes: Process[] = [];
  readonly servers: Server[] = [];
  /** True time in ms since the start. */
  now = 0;
  steps = 0;
  /** The process whose turn it is. */
  current: Process | undefined;
  readonly #agenda = new Agenda();
  readonly #checks: (() => void)[] = [];
  readonly #maxSteps: number;
  #uuids = 0;
  #violation: Violation | undefined;

  constructor(choices: Choices, { maxSteps = MOST_STEPS }: { readonly maxSteps?: number } = {}) {
    this.choices = choices;
    this.#maxSteps = maxSteps;
  }

  /** Runs `act` in the world's own name. */
  after(ms: number, act: () => void): Scheduled {
    const due = this.#agenda.add(this.now + ms, act);
    return {
      cancel() {
        due.act = undefined;
      },
    };
  }

  process(name: string): Process {
    const process = new Process(this, name);
    this.processes.push(process);
    return process;
  }

  server(name: string): Server {
    const server = new Server(this, name);
    this.servers.push(server);
    return server;
  }

  /** Unique in this world. Free of the choices: an identity decides nothing. */
  uuid(): string {
    return `00000000-0000-4000-8000-${(++this.#uuids).toString(16).padStart(12, '0')}`;
  }

  /** Adds an invariant, which is checked after every step. */
  check(invariant: () => void): void {
    this.#checks.push(invariant);
  }

  /** Ends the schedule. The first violation counts, wherever it is caught. */
  fail(invariant: string, what: string): never {
    this.#violation ??= new Violation(invariant, what, this.history);
    throw this.#violation;
  }

  /** Runs until there is nothing left to do, or `isOver()`. Rejects with the first violation. */
  run(isOver: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: unknown) => {
        running = undefined;
        this.current = undefined;
        const failure = this.#violation ?? error;
        if (failure === undefined) resolve();
        else reject(failure as Error);
      };
      const step = () => {
        try {
          this.current = undefined;
          if (this.#violation) throw this.#violation;
          for (const check of this.#checks) check();
          const due = isOver() ? undefined : this.#agenda.next();
          if (due === undefined) {
            end();
            return;
          }
          if (++this.steps > this.#maxSteps) {
            this.fail('the schedule does not end', `It has not ended after ${this.#maxSteps} steps.`);
          }
          if (due.at > this.now) this.now = due.at;
          due.act?.();
          settle(step);
        } catch (error) {
          end(error);
        }
      };
      running = this;
      settle(step);
    });
  }
}

/** Calls `next` when all microtasks have run, and those that they add. */
function settle(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}

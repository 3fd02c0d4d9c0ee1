import { getHeapStatistics } from 'node:v8';
import type { Target } from './target.js';

/** Why an input is a finding. */
export interface Failure {
  /** The same for all inputs that fail in the same way. */
  readonly key: string;
  readonly message: string;
  readonly stack: string;
}

const MEGABYTE = 1024 * 1024;
/** A busy machine may stretch one try, or a collection of garbage: the shortest counts. */
const TRIES = 3;
const STACK_LINES = 12;

const heapBytes = () => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
};

/** Runs a target, with limits of time and memory, and collects the errors that nobody caught. */
export class Execution {
  readonly mostMs: number;
  readonly #mostBytes: number;
  #stray: Failure | undefined;

  constructor(private readonly target: Target) {
    this.mostMs = target.mostMs ?? 1000;
    this.#mostBytes = (target.mostMegabytes ?? 64) * MEGABYTE;
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.#stray ??= failureOf(error, `${event}: `);
      });
    }
    this.hideStacks();
  }

  /** Capturing a stack takes longer than most of what throws. */
  hideStacks(): void {
    Error.stackTraceLimit = 0;
  }

  showStacks(): void {
    Error.stackTraceLimit = STACK_LINES;
  }

  takeStray(): Failure | undefined {
    const stray = this.#stray;
    this.#stray = undefined;
    return stray;
  }

  /** The failure of an input; a promise of it only if the target returns one. */
  run(input: Buffer): Failure | undefined | Promise<Failure | undefined> {
    const [heap, start] = [heapBytes(), performance.now()];
    try {
      const running = this.target.run(input);
      if (running) {
        return running.then(
          () => this.#judge(input, heap, start),
          (error: unknown) => this.takeStray() ?? failureOf(error),
        );
      }
    } catch (error) {
      return failureOf(error);
    }
    return this.#judge(input, heap, start);
  }

  #judge(input: Buffer, heap: number, start: number): Failure | undefined | Promise<Failure | undefined> {
    const [ms, bytes] = [performance.now() - start, heapBytes() - heap];
    // Once is enough: a collection of garbage hides growth, and nothing else causes it.
    if (bytes > this.#mostBytes) return limitFailure(`grows the heap by ${Math.round(bytes / MEGABYTE)} MB`);
    return ms > this.mostMs ? this.#again(input, ms) : this.takeStray();
  }

  async #again(input: Buffer, first: number): Promise<Failure | undefined> {
    let ms = first;
    for (let tries = 1; tries < TRIES && ms > this.mostMs; tries++) {
      const start = performance.now();
      await this.target.run(input);
      ms = Math.min(ms, performance.now() - start);
    }
    return ms > this.mostMs ? limitFailure(`takes ${Math.round(ms)} ms`) : this.takeStray();
  }
}

const limitFailure = (message: string): Failure => ({ key: keyOf(message), message, stack: '' });

/** The kind of an error: its text without what depends on the input. */
const keyOf = (message: string) =>
  message
    .split('\n', 1)[0]
    ?.replace(/\d+|"(?:[^"\\]|\\.)*"/g, '#')
    .slice(0, 80) ?? '';

function failureOf(error: unknown, prefix = ''): Failure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = `${prefix}${name}: ${message}`;
  return { key: keyOf(text), message: text, stack: stack ?? '' };
}

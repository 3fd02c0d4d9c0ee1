import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReceiver, type Receiver, type WebhookEvent } from 'event-webhook-receiver';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import type { ContractQueue, ContractSettings, OpenQueue, QueueContractOptions } from './options.js';
import { type BEHAVIORS, type Effect, fileStore, HANGS, onEvent, TOLD, type WorkerProcess } from './worker.js';

const SECRET = 'whsec-queue-contract';
export const SOURCE = 'tenant:1';
export const LOST = 'an event that was acknowledged is lost';

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const eventOf = (name: (typeof BEHAVIORS)[number] = 'Good'): WebhookEvent =>
  sampleEventEmitted({ id: randomUUID(), data: { event: { name } } });
export const some = (count: number, name?: (typeof BEHAVIORS)[number]): WebhookEvent[] =>
  Array.from({ length: count }, () => eventOf(name));

/** Fails the case unless `holds`. `meaning`: what the difference means in production. */
export function expectThat(holds: boolean, what: string, got: unknown, meaning: string): asserts holds {
  if (!holds) throw new Error(`Expected ${what}, got ${JSON.stringify(got)}. In production, ${meaning}.`);
}

/** One case: its queues, workers and effects. */
export class Trial {
  readonly options: QueueContractOptions;
  readonly #open: OpenQueue;
  readonly #waitMs: number;
  readonly #ends: (() => Promise<unknown>)[] = [];
  /** Those that were read, by the names of their files, which never change. */
  readonly #effects = new Map<string, Effect>();
  #settings: ContractSettings = { attempts: 15, backoffMs: 100 };
  #directory = '';
  readonly name = `q${randomUUID()}`;
  /** How often the handler of this process ran, by the id of the event. */
  readonly runs: Record<string, number> = {};
  /** What receivers reported. */
  readonly reported: string[] = [];

  constructor(open: OpenQueue, options: QueueContractOptions) {
    this.#open = open;
    this.options = options;
    this.#waitMs = options.waitMs ?? 60_000;
  }

  async start(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'queue-contract-'));
  }

  async end(): Promise<void> {
    for (const end of this.#ends.reverse()) await Promise.race([end().catch(() => {}), sleep(10_000)]);
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** A client of the case's queue. */
  async open(settings = this.#settings): Promise<ContractQueue> {
    this.#settings = settings;
    const queue = await this.#open(this.name, settings);
    this.#ends.push(() => queue.close());
    return queue;
  }

  /** Starts a worker. Returns what shuts it down. */
  async work(queue: ContractQueue): Promise<() => Promise<unknown>> {
    let stopping: Promise<unknown> | undefined;
    const stopWorker = await queue.work({
      store: fileStore(this.#directory),
      onEvent: (event, context) => {
        this.runs[event.id] = (this.runs[event.id] ?? 0) + 1;
        return onEvent(event, context);
      },
    });
    const stop = () => {
      stopping ??= stopWorker();
      return stopping;
    };
    this.#ends.push(stop);
    return stop;
  }

  /** A receiver in front of a queue. Its time limit is short, so that a frozen engine costs little time. */
  receiver({ enqueue }: Pick<ContractQueue, 'enqueue'>, handlerTimeoutMs = 20_000): Receiver {
    return createReceiver({
      secret: () => ({ secret: SECRET, source: SOURCE }),
      enqueue,
      handlerTimeoutMs,
      maxBodyBytes: 16 * 2 ** 20,
      onError: (error) => this.reported.push(`${error.code}: ${error.cause ?? error.message}`),
    });
  }

  async deliver(receiver: Receiver, events: readonly WebhookEvent[]): Promise<number> {
    const { rawBody, signature, timestamp } = createTestDelivery(events, { secret: SECRET });
    return (await receiver.handle({ rawBody, signature, timestamp })).status;
  }

  /** Delivers until the answer is 200, as the sender does. */
  async delivered(receiver: Receiver, events: readonly WebhookEvent[]): Promise<void> {
    await this.until(async () => {
      const status = await this.deliver(receiver, events);
      return status === 200 || `status 200, got ${status} (${this.reported.at(-1)})`;
    });
  }

  /** Waits until `check` returns true; it returns what it expects otherwise. */
  async until(check: () => Promise<true | string>): Promise<void> {
    const end = Date.now() + this.#waitMs;
    for (;;) {
      const missing = await check().catch((error: unknown) => `no error, got ${error}`);
      if (missing === true) return;
      if (Date.now() > end) throw new Error(`Expected within ${this.#waitMs / 1000} s: ${missing}.`);
      await sleep(50);
    }
  }

  async effects(): Promise<Effect[]> {
    const names = (await readdir(this.#directory)).filter((name) => !name.includes('.') && !this.#effects.has(name));
    const texts = await Promise.all(names.map((name) => readFile(join(this.#directory, name), 'utf8')));
    for (const [at, name] of names.entries()) this.#effects.set(name, JSON.parse(texts[at] as string));
    return [...this.#effects.values()];
  }

  /** Waits until these events have taken effect. */
  async took(events: readonly WebhookEvent[], meaning = LOST): Promise<void> {
    await this.until(async () => {
      const ids = new Set((await this.effects()).map(({ event }) => event.id));
      const missing = events.filter(({ id }) => !ids.has(id)).length;
      return missing === 0 || `an effect of each of ${events.length} events, ${missing} have none: ${meaning}`;
    });
  }

  /** Waits until there are this many dead letters, with reasons. */
  async died(queue: ContractQueue, reasons: readonly RegExp[]): Promise<void> {
    const meaning = 'a bad message is retried for ever, or disappears, and nobody sees why';
    await this.until(async () => {
      const found = (await queue.deadLetters()).map(({ reason }) => reason);
      const isFound = reasons.every((reason) => found.some((each) => reason.test(each)));
      const got = JSON.stringify(found.slice(0, 5)).slice(0, 1000);
      return (
        (found.length === reasons.length && isFound) ||
        `${reasons.length} dead letters, got ${found.length}: ${got} (${meaning})`
      );
    });
  }

  /** Starts a worker in another process. */
  #spawn(hangs: WorkerProcess['hangs']) {
    const [command = '', ...args] = this.options.worker?.() ?? [];
    const told: WorkerProcess = { name: this.name, settings: this.#settings, directory: this.#directory, hangs };
    const env = { ...process.env, [TOLD]: JSON.stringify(told) };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return { child, exit: once(child, 'exit') };
  }

  /** Runs a worker in another process, and kills it once it hangs. */
  async killWorker(hangs: WorkerProcess['hangs']): Promise<void> {
    const { child, exit } = this.#spawn(hangs);
    const isHanging = new Promise<true>((resolve) => {
      child.stdout.on('data', (chunk) => String(chunk).includes(HANGS) && resolve(true));
    });
    const isTaken = await Promise.race([isHanging, exit.then(() => false), sleep(this.#waitMs).then(() => false)]);
    child.kill('SIGKILL');
    await exit;
    expectThat(isTaken, 'the worker to take the message', `none within ${this.#waitMs / 1000} s`, LOST);
  }

  /** Keeps a worker in another process running, as a supervisor does. Returns what kills the worker. */
  supervise(): () => void {
    let isOver = false;
    let running = this.#spawn('never');
    const supervising = (async () => {
      while (!isOver) {
        await running.exit;
        if (!isOver) running = this.#spawn('never');
      }
    })();
    const kill = () => void running.child.kill('SIGKILL');
    this.#ends.push(() => {
      isOver = true;
      kill();
      return supervising;
    });
    return kill;
  }
}

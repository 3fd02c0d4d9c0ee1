import { afterAll, beforeAll, expect } from 'vitest';
import { installLibrary } from '../../examples/frameworks/library.js';
import type { RecipeName } from '../../examples/frameworks/recipes.js';
import { buildRecipe, needsDatabase, startRecipe } from '../../examples/frameworks/recipes.js';
import { freePort } from '../../examples/servers/free-port.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import type { SignSettings } from '../matrix/cases/delivery.js';
import { HARMLESS_HEADERS, STATUSES } from '../matrix/cases/effects.js';
import { Log } from '../matrix/cases/waiting.js';
import { type Delivery, headersOf, SECRET, type SignedDelivery, sign } from '../matrix/deliveries.js';
import { type Answer, type HeaderList, head, Wire } from '../matrix/wire.js';
import { startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';

/** An application that is already running, with the options that it has. */
export class Remote {
  readonly path: string;
  readonly #process: () => RunningRecipe;
  readonly #taken: string[] = [];
  readonly #refused: string[] = [];

  constructor(process: () => RunningRecipe, path: string) {
    this.#process = process;
    this.path = path;
  }

  get port(): number {
    return this.#process().port;
  }

  /** A genuine delivery of one event that is to take effect. */
  toTake(...rest: readonly unknown[]): SignedDelivery {
    const event = sampleEventEmitted();
    this.#taken.push(event.id);
    return signed(JSON.stringify([event, ...rest]));
  }

  /** A genuine delivery of one event that is to take no effect, whatever is made of it. */
  toRefuse(): SignedDelivery {
    const event = sampleEventEmitted();
    this.#refused.push(event.id);
    return signed(JSON.stringify([event]));
  }

  /** A delivery of about this many bytes. */
  ofSize(bytes: number, of: 'taken' | 'refused'): SignedDelivery {
    const event = sampleEventEmitted({ data: { event: { rawFields: 'x'.repeat(bytes) } } });
    (of === 'taken' ? this.#taken : this.#refused).push(event.id);
    return signed(JSON.stringify([event]));
  }

  /** The bytes of a whole request. */
  framed(delivery: Delivery, headers: HeaderList = headersOf(delivery), method = 'POST'): Buffer {
    const length = ['Content-Length', String(delivery.body.length)] as const;
    return Buffer.concat([head([...headers, length], method, this.path), delivery.body]);
  }

  head(headers: HeaderList, method = 'POST'): Buffer {
    return head(headers, method, this.path);
  }

  /** Sends bytes on a connection of their own; gives the answer, whoever it is from, or that there was none. */
  async send(...pieces: readonly Uint8Array[]): Promise<Answer | undefined> {
    const wire = await Wire.open(this.port);
    const sending = wire.send(...pieces);
    const answer = await wire.answer();
    // Whoever refuses may leave the rest unread.
    if (answer?.status === 200) await sending;
    wire.cut();
    return answer;
  }

  post(delivery: Delivery, headers?: HeaderList): Promise<Answer | undefined> {
    return this.send(this.framed(delivery, headers));
  }

  /** What was to take effect did so once, and what was not did not. */
  async expectEffects(): Promise<void> {
    const { effects } = this.#process();
    const last = this.toTake();
    expectOurs(await this.post(last), 200);
    // The lines of one process come in their order: after the last there is none to come.
    const id = this.#taken.at(-1) as string;
    while (!effects.entries.includes(id)) await effects.reaches(effects.entries.length + 1);
    const count = (each: string) => effects.entries.filter((effect) => effect === each).length;
    expect(this.#taken.filter((each) => count(each) !== 1)).toEqual([]);
    expect(this.#refused.filter((each) => count(each) !== 0)).toEqual([]);
  }
}

export interface RunningRecipe {
  readonly port: number;
  readonly effects: Log<string>;
  readonly printed: readonly string[];
}

let installed: Promise<void> | undefined;
const built = new Map<RecipeName, Promise<void>>();

/** Builds and starts a recipe with the packed library before the tests of a suite, and ends it after them. */
export function useRecipe(name: RecipeName, env: Record<string, string> = {}): () => RunningRecipe {
  let running: RunningRecipe | undefined;
  let end = () => {};
  let postgres: TestServer | undefined;
  beforeAll(async () => {
    installed ??= installLibrary();
    await installed;
    built.set(name, built.get(name) ?? buildRecipe(name));
    await built.get(name);
    const [port, effects, printed] = [await freePort(), new Log<string>(), [] as string[]];
    const onLine = (line: string) => {
      printed.push(line);
      const [, id] = /took effect: (\S+)/.exec(line) ?? [];
      if (id !== undefined) effects.add(id);
    };
    if (needsDatabase(name)) postgres = await startPostgres();
    const database = postgres && { DATABASE_URL: postgres.url };
    const child = await startRecipe(name, { port, secret: SECRET, onLine, env: { ...database, ...env } });
    end = () => child.kill(); // politely: the Worker's host has a process of its own to end
    running = { port, effects, printed };
  }, 240_000);
  afterAll(async () => {
    end();
    await postgres?.stop();
  });
  return () => {
    if (running === undefined) throw new Error(`${name} is not running.`);
    return running;
  };
}

/** Signs for now, unless told otherwise. */
export function signed(content: string | Uint8Array, settings: SignSettings = {}): SignedDelivery {
  return sign(content, { timestamp: String(Math.floor(Date.now() / 1000)), ...settings });
}

/** Checks that an answer is the receiver's: nothing in it but its status, and what hosts put beside it. */
export function expectOurs(answer: Answer | undefined, status: number): void {
  if (answer === undefined) throw new Error('The connection closed without an answer.');
  expect([answer.status, answer.body]).toEqual([status, '']);
  expect(STATUSES).toContain(status);
  for (const name of answer.headers.keys()) if (name !== 'vary') expect(name).toMatch(HARMLESS_HEADERS);
}

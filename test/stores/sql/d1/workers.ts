import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { Ask, Fault } from '../../../../examples/serverless/testing/d1-worker.js';
import type * as Workerd from '../../../../examples/serverless/testing/workerd.js';
import type { D1DatabaseLike, D1StatementLike } from '../../../../src/stores/sql/index.js';
import { nothing } from '../../../contracts/store-helpers.js';
import type { Row } from '../client.js';

const serverless = new URL('../../../../examples/serverless/', import.meta.url);
export const hasWorkerd = existsSync(new URL('node_modules/miniflare', serverless));
export const needsWorkerd = hasWorkerd ? '' : ' (skipped: no Miniflare; npm ci --prefix examples/serverless)';

const NAMES = ['one', 'two'];

/** Calls to the Workers `one` and `two`, which are two isolates on one D1 database. */
export class D1Workers {
  #folder = '';
  #workerd: typeof Workerd | undefined;
  #workers: Workerd.Workers | undefined;

  async start(): Promise<void> {
    this.#folder ||= await mkdtemp(join(tmpdir(), 'd1-'));
    // Its types and its packages stay in examples/serverless.
    this.#workerd ??= (await import(
      /* @vite-ignore */ fileURLToPath(new URL('testing/workerd.ts', serverless))
    )) as typeof Workerd;
    this.#workers = await this.#workerd.startWorkers(NAMES, this.#folder);
  }

  /** Kills workerd, with all that runs in it. The database stays. */
  async kill(): Promise<void> {
    await this.#workers?.stop();
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #running(): Workerd.Workers {
    if (this.#workers === undefined) throw new Error('The Workers are not running.');
    return this.#workers;
  }

  /** The database for Node: Miniflare's own makes synchronous calls, of which one in thousands fails. */
  database(): D1DatabaseLike {
    const prepare = (text: string, values: readonly string[] = []): D1StatementLike => ({
      bind: (...given) => prepare(text, given),
      all: async () => ({ results: (await this.#call('one', '/query', { text, values })) as Row[] }),
    });
    return { prepare, batch: nothing, exec: nothing };
  }

  /** The rows of a statement, run beside the Workers. */
  async query(statement: string): Promise<readonly Row[]> {
    return (await this.database().prepare(statement).all()).results as Row[];
  }

  async #post(name: string, path: string, body: unknown): Promise<Response> {
    const url = new URL(path, await this.#running.url(name));
    return fetch(url, { method: 'POST', body: JSON.stringify(body ?? null), signal: AbortSignal.timeout(60_000) });
  }

  async #call(name: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.#post(name, path, body);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  /** The word for each key, or the error of the store. */
  take(name: string, ask: Ask): Promise<unknown> {
    return this.#call(name, '/take', ask);
  }

  /** Sends a call, and resets its connection once its handler has written the effects and `meanwhile` has settled. */
  async takeAndLeave(name: string, ask: Ask, meanwhile: () => Promise<void> = nothing): Promise<void> {
    const { hostname, port } = await this.#running.url(name);
    const body = JSON.stringify(ask);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /take HTTP/1.1\r\nHost: worker\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    while ((await this.effects(ask.keys)) < ask.keys.length) await pause(5);
    await meanwhile();
    socket.resetAndDestroy();
    await pause(50);
  }

  fault(name: string, fault?: Fault): Promise<unknown> {
    return this.#call(name, '/fault', fault);
  }

  migrate(name: string, settings?: Ask['settings']): Promise<unknown> {
    return this.#call(name, '/migrate', settings);
  }

  sweep(name: string): Promise<unknown> {
    return this.#call(name, '/sweep');
  }

  shiftClocks(name: string, ms: number): Promise<unknown> {
    return this.#call(name, '/clock', ms);
  }

  async statements(name: string): Promise<number> {
    return Number(await this.#call(name, '/statements'));
  }

  runCase(title: string): Promise<unknown> {
    return this.#call('one', '/case', title);
  }

  /** How often the handlers wrote the effects of these keys. */
  async effects(keys: readonly string[]): Promise<number> {
    const wanted = new Set(keys);
    return (await this.query('SELECT id FROM effects')).filter(({ id }) => wanted.has(String(id))).length;
  }
}

/** The Workers for the tests of a suite, with the store's table, and `effects` for handlers. */
export function useWorkers(): D1Workers {
  const workers = new D1Workers();
  beforeAll(async () => {
    await workers.start();
    await workers.migrate('one');
    await workers.query('CREATE TABLE effects (id TEXT NOT NULL)');
  }, 60_000);
  afterAll(() => workers.remove());
  return workers;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

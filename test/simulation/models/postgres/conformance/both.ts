import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answered, type Engine, statementsIn } from './engine.js';
import { ModelEngine } from './model.js';
import type { RealEngine } from './real.js';

export type Send = (text: string) => Promise<Rows>;
/** What a session does: it sends statements, and returns what its caller learns. */
export type Act = (send: Send, engine: Engine) => Promise<unknown>;

export interface Rows {
  readonly rows: readonly object[];
}

/** How long the real server may take for what the model does at once. */
const PATIENCE_MS = 2000;

/** What has happened in a step, by session. */
type Outcome = Readonly<Record<string, unknown>>;

/** One engine, and what its sessions have answered since the last step. */
class Side {
  readonly engine: Engine;
  readonly #outcome: Record<string, unknown> = {};
  /** Ids of transactions in the order in which they came up, because the engines count differently. */
  readonly #ids = new Map<string, string>();

  constructor(engine: Engine) {
    this.engine = engine;
  }

  begin(name: string, act: Act): void {
    const answers: unknown[] = [];
    const send = async (text: string): Promise<Rows> => {
      const answered = await this.engine.send(name, text);
      answers.push(this.#told(answered));
      if (answered.error) throw Object.assign(new Error(answered.error.message), answered.error);
      return { rows: statementsIn(answered.results).at(-1)?.rows ?? [] };
    };
    const settle = (how: string) => (value: unknown) => {
      this.#outcome[name] = { answers, [how]: how === 'failed' ? (value as Error).message : this.#plain(value) };
    };
    act(send, this.engine).then(settle('returned'), settle('failed'));
  }

  #told({ error, results }: Answered): unknown {
    if (error) return `${error.severity} ${error.code} ${this.#plain(error.message)}`;
    return results.map(({ rows, rowCount, command }) => [command, rowCount, this.#sorted(rows)]);
  }

  #sorted(rows: readonly object[]): unknown[] {
    return rows.map((row) => JSON.stringify(this.#plain(row))).sort();
  }

  /** Without times, and with the ids in the order of their names. */
  #plain(value: unknown): unknown {
    if (value instanceof Date) return 'a time';
    if (typeof value === 'bigint') return this.#plain(String(value));
    if (value instanceof Map) return [...value].map((each) => JSON.stringify(this.#plain(each))).sort();
    if (value instanceof Set) return [...value].sort();
    if (Array.isArray(value)) return value.map((each) => this.#plain(each));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#plain(each)]));
    }
    if (typeof value !== 'string' || !/^\d{3,}$/.test(value)) {
      return typeof value === 'string' ? value.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*/g, 'a time') : value;
    }
    const known = this.#ids.get(value) ?? `id ${this.#ids.size + 1}`;
    this.#ids.set(value, known);
    return known;
  }

  take(): Outcome {
    const taken = { ...this.#outcome };
    for (const name of Object.keys(taken)) delete this.#outcome[name];
    return taken;
  }

  /** What has come, without taking it. */
  peek(): Outcome {
    return this.#outcome;
  }
}

/** Sends the same to both servers, and compares what comes of it after each step. */
export class Both {
  readonly model = new ModelEngine();
  readonly real: RealEngine;
  readonly #sides: { readonly model: Side; readonly real: Side };
  readonly #log: string[] = [];
  /** The sessions that wait, and for whom. */
  waiting: Readonly<Record<string, string>> = {};

  constructor(real: RealEngine) {
    this.real = real;
    this.#sides = { model: new Side(this.model), real: new Side(real) };
  }

  names(): readonly string[] {
    return this.model.names();
  }

  /** The sessions that the server has ended. */
  ended(): readonly string[] {
    return this.model.ended();
  }

  async open(name: string): Promise<void> {
    await this.real.open(name);
    await this.model.open(name);
  }

  /** Returns what both have answered. */
  async step(name: string, what: string, act: Act): Promise<Outcome> {
    this.#log.push(`${name}: ${what}`);
    const { model, real } = this.#sides;
    real.begin(name, act);
    model.begin(name, act);
    return this.#compared();
  }

  send(name: string, text: string): Promise<Outcome> {
    return this.step(name, text, (send) => send(text));
  }

  async end(name: string): Promise<Outcome> {
    this.#log.push(`${name}: ends`);
    await this.real.end(name);
    await this.model.end(name);
    return this.#compared();
  }

  async #compared(): Promise<Outcome> {
    const { model, real } = this.#sides;
    await this.model.settled();
    const circle = this.model.deadlocked();
    let now = await this.real.settled();
    if (circle.length > 0) {
      let victim: string | undefined;
      // The real server chooses.
      while (!victim) {
        now = await this.real.settled();
        victim = circle.find((name) => JSON.stringify(real.peek()[name] ?? '').includes('40P01'));
      }
      this.#log.push(`${victim} is the victim`);
      this.model.breakDeadlock(victim);
      await this.model.settled();
      now = await this.real.settled();
    }
    const waiting = this.model.waiting();
    // A signal takes effect after the answer to who sent it.
    const wanted = JSON.stringify([Object.keys(waiting).sort(), this.model.ended()]);
    const patience = performance.now() + PATIENCE_MS;
    while (JSON.stringify([[...now.waiting].sort(), this.real.ended()]) !== wanted && performance.now() < patience) {
      now = await this.real.settled();
    }
    await setImmediate();
    const [expected, found] = [real.take(), model.take()];
    const told = this.#log.join('\n');
    expect({ answers: found, waiting: Object.keys(waiting).sort(), ended: this.model.ended() }, told).toEqual({
      answers: expected,
      waiting: [...now.waiting].sort(),
      ended: this.real.ended(),
    });
    this.#log.push(`    ${JSON.stringify(found)}`);
    this.waiting = waiting;
    return found;
  }
}

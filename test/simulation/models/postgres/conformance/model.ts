import { setImmediate } from 'node:timers/promises';
import { deadlock } from '../errors.js';
import { PostgresServer, type Session } from '../server.js';
import type { Answered, Engine } from './engine.js';

/** Sessions of the model, whose clock advances a little with each look. Its time limits never end. */
export class ModelEngine implements Engine {
  #now = Date.parse('2026-01-01T00:00:00Z');
  readonly server = new PostgresServer(
    () => {
      this.#now += 0.01;
      return this.#now;
    },
    { monotonic: () => 0 },
  );
  readonly #sessions = new Map<string, Session>();
  readonly #ended: string[] = [];

  async open(name: string): Promise<void> {
    const session = this.server.connect();
    session.onTerminate(() => this.#ended.push(name));
    if (this.#ended.includes(name)) this.#ended.splice(this.#ended.indexOf(name), 1);
    this.#sessions.set(name, session);
  }

  #session(name: string): Session {
    const session = this.#sessions.get(name);
    if (!session) throw new Error(`No session ${name}.`);
    return session;
  }

  send(name: string, text: string): Promise<Answered> {
    return new Promise((resolve) => {
      this.#session(name).query(text, (error, results) => {
        if (!error) resolve({ results });
        else {
          const { code, severity, message } = error;
          resolve({ error: { code, severity, message }, results: [] });
        }
      });
    });
  }

  async rowsOf(name: string, text: string) {
    const { error, results } = await this.send(name, text);
    if (error) throw new Error(error.message);
    return { rows: results.at(-1)?.rows ?? [] };
  }

  async end(name: string): Promise<void> {
    this.#session(name).end();
    this.#sessions.delete(name);
  }

  names(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  ended(): readonly string[] {
    return [...this.#ended];
  }

  async settled(): Promise<{ readonly waiting: readonly string[] }> {
    await setImmediate();
    return { waiting: Object.keys(this.waiting()) };
  }

  /** The sessions that wait, and for whom. */
  waiting(): Readonly<Record<string, string>> {
    const nameOf = (pid: number) => [...this.#sessions].find(([, each]) => each.pid === pid)?.[0] ?? 'a lost session';
    const waiting = [...this.#sessions].flatMap(([name, { waitsFor }]) =>
      waitsFor ? [[name, nameOf(waitsFor.pid)]] : [],
    );
    return Object.fromEntries(waiting);
  }

  /** Those that wait for each other in a circle. */
  deadlocked(): readonly string[] {
    return [...this.#sessions].filter(([, { pid }]) => this.server.isDeadlocked(pid)).map(([name]) => name);
  }

  /** Ends a deadlock as the real server has done. */
  breakDeadlock(name: string): void {
    this.#session(name).cancel(deadlock());
  }
}

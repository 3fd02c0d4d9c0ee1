import pg from 'pg';
import { type Answered, type Engine, statementsIn } from './engine.js';

interface Connection {
  readonly client: pg.Client;
  readonly pid: number;
  isBusy: boolean;
  isEnded: boolean;
}

interface Activity {
  readonly pid: number;
  readonly blockers: readonly number[];
}

/** Sessions of a real server. */
export class RealEngine implements Engine {
  readonly #url: string;
  readonly #observer: pg.Client;
  readonly #sessions = new Map<string, Connection>();
  /** Those whose client is lost. */
  readonly #leaving = new Set<number>();

  constructor(url: string, observer: pg.Client) {
    this.#url = url;
    this.#observer = observer;
  }

  async open(name: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, options: '-c deadlock_timeout=50ms' });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const session = { client, pid: rows[0]?.pid ?? 0, isBusy: false, isEnded: false };
    client.on('end', () => {
      session.isEnded = true;
    });
    this.#sessions.set(name, session);
  }

  #session(name: string): Connection {
    const session = this.#sessions.get(name);
    if (!session) throw new Error(`No session ${name}.`);
    return session;
  }

  async send(name: string, text: string): Promise<Answered> {
    const session = this.#session(name);
    session.isBusy = true;
    try {
      const results = statementsIn(await session.client.query(text));
      return { results: results.map(({ rows, rowCount, command }) => ({ rows, rowCount, command })) };
    } catch (error) {
      if (this.#leaving.has(session.pid)) return new Promise(() => {});
      const { code, severity, message } = error as { code: string; severity: string; message: string };
      return { error: { code, severity, message }, results: [] };
    } finally {
      session.isBusy = false;
    }
  }

  async end(name: string): Promise<void> {
    const { client, pid } = this.#session(name);
    this.#leaving.add(pid);
    this.#sessions.delete(name);
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }

  ended(): readonly string[] {
    return [...this.#sessions].filter(([, { isEnded }]) => isEnded).map(([name]) => name);
  }

  async settled(): Promise<{ readonly waiting: readonly string[] }> {
    for (;;) {
      const before = [...this.#sessions.values()].map(({ isBusy }) => isBusy);
      const { rows } = await this.#observer.query<Activity>(
        `SELECT pid, pg_blocking_pids(pid) AS blockers FROM pg_stat_activity WHERE backend_type = 'client backend'`,
      );
      const blockers = new Map(rows.map((row) => [row.pid, row.blockers]));
      const sessions = [...this.#sessions];
      const isSettled = sessions.every(([, { isBusy, isEnded, pid }], at) => {
        if (isEnded || !blockers.has(pid)) return isEnded && !blockers.has(pid);
        return (!isBusy && !before[at]) || (isBusy && (blockers.get(pid)?.length ?? 0) > 0);
      });
      const hasLeft = [...this.#leaving].every((pid) => !blockers.has(pid) || (blockers.get(pid)?.length ?? 0) > 0);
      if (!isSettled || !hasLeft) continue;
      return { waiting: sessions.filter(([, { isBusy }]) => isBusy).map(([name]) => name) };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ client }) => client.end()));
    this.#sessions.clear();
  }
}

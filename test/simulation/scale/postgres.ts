import type { Answer, SqlDatabase } from '../../../src/stores/sql/database.js';
import { Connection } from '../kernel/connection.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import { PostgresServer } from '../models/postgres/server.js';
import type { Subject } from '../subject/load.js';
import { Cores, Log, Places } from './busy.js';
import type { Costs } from './costs.js';
import type { Fleet } from './fleet.js';

/** What the handler of the transactional store gets. */
export interface Tx {
  query(text: string): Promise<Answer>;
}

export interface PostgresSetup {
  readonly cores: number;
  /** Connections of a pooler in transaction mode, which all replicas share. */
  readonly connections: number;
  readonly transactional: boolean;
  readonly leaseMs: number;
}

/** Replicas with `sqlStore` over one Postgres behind a pooler. Statements cost CPU; a commit also waits for the disk. */
export function postgresFleet(subject: Subject, costs: Costs, setup: PostgresSetup): Fleet<Tx> {
  const { transactional, leaseMs } = setup;
  // The claim and its record; or the claim, the handler's statement, and the commit.
  const storeCosts = transactional ? costs.postgresTransactional : costs.postgresLeases;
  const { server: line } = storeCosts;
  const statements = transactional ? 3 : 2;
  /** By the ids of events in it. */
  const keysIn = (text: string) => text.match(/e\d+\.\d+'/g)?.length ?? 1;
  const costOf = (text: string) => (line.perCallMs + line.perKeyMs * keysIn(text)) / statements;
  let cpu: Cores | undefined;

  function storesOf(world: World) {
    const server = world.server('postgres');
    const postgres = new PostgresServer(() => server.wall());
    const cores = new Cores(world, setup.cores);
    cpu = cores;
    const places = new Places(setup.connections);
    const disk = new Log(world, costs.flushMs);
    let isSetUp = false;

    /** A connection through the pooler, which gives it a session for one transaction. */
    async function withSession<T>(process: Process, work: (send: Send) => Promise<T>): Promise<T> {
      const connection = new Connection(process, server);
      const session = postgres.connect();
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        session.end();
        places.give();
      };
      connection.onClose('server', end);
      await new Promise<void>((resolve) =>
        connection.send(() => places.take(() => (isOver ? places.give() : connection.answer(resolve)))),
      );
      const send: Send = (text, isDurable) =>
        new Promise((resolve, reject) => {
          connection.send(() =>
            cores.work(costOf(text), () =>
              session.query(text, (error, results) => {
                const answer = () => {
                  connection.answer(() => (error ? reject(error) : resolve({ rows: results.at(-1)?.rows ?? [] })));
                };
                if (isDurable) disk.flush(answer);
                else answer();
              }),
            ),
          );
        });
      try {
        return await work(send);
      } finally {
        connection.close();
      }
    }

    const databaseOf = (process: Process): SqlDatabase<Tx> => ({
      dialect: 'postgres',
      run: (statement) => withSession(process, (send) => send(statement, true)),
      transaction: (work) =>
        withSession(process, async (send) => {
          let begin = 'BEGIN; ';
          const query = (text: string) => {
            const message = begin + text;
            begin = '';
            return send(message, false);
          };
          await work({ tx: { query }, run: query, commit: async (text) => void (await send(text, true)) });
        }),
    });

    return (process: Process) => {
      const store = subject.sqlStore({ db: databaseOf(process), transactional: transactional as true, leaseMs });
      if (!isSetUp) {
        isSetUp = true;
        for (const text of [...subject.sqlDdl({ dialect: 'postgres' }), 'CREATE TABLE effects (id text PRIMARY KEY)']) {
          postgres.connect().query(text, (error) => {
            if (error) throw error;
          });
        }
      }
      if (!transactional) return { store };
      const values = (ids: readonly string[]) => ids.map((id) => `('${id}')`).join(', ');
      return {
        store,
        effect: (tx: Tx, ids: readonly string[]) => tx.query(`INSERT INTO effects (id) VALUES ${values(ids)}`),
      };
    };
  }
  return { storesOf, costs: storeCosts, busyMs: () => cpu?.workedMs ?? 0 };
}

type Send = (text: string, isDurable: boolean) => Promise<Answer>;

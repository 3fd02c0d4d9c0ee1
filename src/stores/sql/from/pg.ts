import type { Run, SqlDatabase } from '../database.js';
export interface PgClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}
export interface PgPoolLike<Client> {
  query(text: string): Promise<unknown>;
  connect(): Promise<Client>;
  connect(
    callback: (error: Error | undefined, client: Client | undefined, done: (destroy?: boolean) => void) => void,
  ): void;
}
const runOn =
  (client: { query(text: string): Promise<unknown> }): Run =>
  async (statement) => {
    const { rows, rowCount } = (await client.query(statement)) as { rows: object[]; rowCount: number | null };
    return { rows, changed: rowCount ?? undefined };
  };
export function fromPg<Client extends PgClientLike>(pool: PgPoolLike<Client>): SqlDatabase<Client> {
  return {
    dialect: 'postgres',
    run: runOn(pool),
    async transaction(work, { isolationLevel }) {
      const client = await pool.connect();
      client.on('error', () => {});
      let given = false;
      const release = (destroy: boolean) => {
        if (!given) client.release(destroy);
        given = true;
      };
      try {
        await client.query(isolationLevel ? `BEGIN ISOLATION LEVEL ${isolationLevel}` : 'BEGIN');
        await work({ tx: client, run: runOn(client), destroy: () => release(true) });
        await client.query('COMMIT');
        release(false);
      } catch (error) {
        if (!given)
          await client.query('ROLLBACK').then(
            () => release(false),
            () => release(true),
          );
        throw error;
      }
    },
  };
}

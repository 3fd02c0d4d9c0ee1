import { type AddressInfo, connect } from 'node:net';
import { neonConfig, Pool, type PoolClient } from '@neondatabase/serverless';
import { sql } from 'drizzle-orm';
import { drizzle, type NeonDatabase } from 'drizzle-orm/neon-serverless';
import { createWebSocketStream, WebSocket, WebSocketServer } from 'ws';
import { fromDrizzle, fromPg } from '../../../src/stores/sql/index.js';
import type { Row, SqlClient } from '../../../test/stores/sql/client.js';

/** Serves what Neon's proxy does for its driver: Postgres over WebSockets. Resolves to its end. */
export async function startNeonProxy(): Promise<() => void> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket, { url = '' }) => {
    const [host, port] = (new URL(url, 'ws://proxy').searchParams.get('address') ?? '').split(':');
    const stream = createWebSocketStream(socket);
    const upstream = connect(Number(port), host);
    for (const each of [stream, upstream]) each.on('error', () => stream.destroy() && upstream.destroy());
    stream.pipe(upstream).pipe(stream);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  Object.assign(neonConfig, {
    wsProxy: (host: string, upstream: number) => `127.0.0.1:${port}/v2?address=${host}:${upstream}`,
    webSocketConstructor: WebSocket,
    useSecureWebSocket: false,
    pipelineConnect: false,
  });
  return () => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  };
}

const poolOf = (url: string, max = 10) =>
  new Pool({ connectionString: url, max, connectionTimeoutMillis: max > 2 ? 5000 : 1000 });

/** `end` waits for ever for a connection that broke while it was opened, or while Drizzle rolled back. */
const endOf = (pool: Pool) => Promise.race([pool.end(), new Promise<void>((resolve) => setTimeout(resolve, 3000))]);

export const clients: readonly SqlClient[] = [
  {
    title: 'fromPg over Pool of @neondatabase/serverless',
    connectsByDriver: true,
    dialect: 'postgres',
    open(url, { max }) {
      const pool = poolOf(url, max);
      return {
        db: fromPg(pool),
        runIn: (tx: PoolClient, text) => tx.query(text),
        run: async (text) => (await pool.query<Row>(text)).rows,
        close: () => endOf(pool),
      };
    },
  },
  {
    title: 'fromDrizzle over neon-serverless',
    begin: 'begin',
    connectsByDriver: true,
    dialect: 'postgres',
    open(url, { max }) {
      const pool = poolOf(url, max);
      const db = drizzle(pool);
      return {
        db: fromDrizzle(db),
        runIn: async (tx: NeonDatabase, text) => await tx.execute(sql.raw(text)),
        run: async (text) => (await pool.query<Row>(text)).rows,
        close: () => endOf(pool),
      };
    },
  },
];

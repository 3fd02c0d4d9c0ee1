import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { ContractQueue, ContractSettings, ContractWorker } from '../../devtools/src/queue-contract/index.js';
import { handleMessage, retryDelayMs, toMessage } from '../../src/queues/index.js';

const [STORED, GOOD, DEAD] = ['an effect of each of', 'of 30 events, 30 have none', '20 dead letters, got'];
/** What is wrong with a queue, which case of `queueContract` finds it, and what the case says. */
export const DEFECTS = {
  'acknowledges before it stores': ['while the engine is frozen', '503 while the engine is frozen, got 200'],
  'loses what it has stored when the engine crashes': ['an acknowledged event survives a crash', STORED],
  'stores the first event of a delivery only': ['an event takes effect once', STORED],
  'refuses a delivery that it has': ['an event takes effect once', 'status 200 for each redelivery, got [503'],
  'loses the source': ['the worker gets each event', '"source":"tenant:1"'],
  'confuses keys that differ in case': ['the worker gets each event', STORED],
  'skips large events': ['an event of 10 MiB', STORED],
  'drops what fails': ['events that fail', `${DEAD} 0`],
  'retries for ever': ['events that fail', `${DEAD} 0`],
  'gives up at the first failure': ['events that fail', '3 runs of each event'],
  'holds up the events behind a bad one': ['events that fail', GOOD],
  'keeps no reason': ['events that fail', `${DEAD} 20: [""`],
  'retries messages of strangers for ever': ['messages of strangers', '3 dead letters, got 0'],
  'abandons handlers when it shuts down': ['a shutdown waits for handlers', 'one of each handler that had started'],
  'acknowledges before the effect': ['an event whose worker was killed twice', 'the worker to take the message'],
  'gives up on an event whose worker died': [
    'an event whose worker was killed twice',
    'the worker to take the message',
  ],
  'acknowledges what a full engine refuses': ['a full engine refuses events', 'status 503, got 200'],
} as const;
export type Defect = keyof typeof DEFECTS;

/** A queue on a table of Postgres, written from docs/queues/recipes.md only, with one defect or none. */
export async function openTable(url: string, queue: string, settings: ContractSettings, defect?: Defect) {
  const is = (...defects: Defect[]) => defects.some((each) => each === defect);
  const pool = new pg.Pool({ connectionString: url, max: 12, connectionTimeoutMillis: 5000 });
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  const unlogged = is('loses what it has stored when the engine crashes') ? 'UNLOGGED' : '';
  const columns = 'id bigserial, data text, attempt int DEFAULT 1, due timestamptz DEFAULT now(), reason text';
  await pool.query(`CREATE ${unlogged} TABLE IF NOT EXISTS "${queue}" (${columns})`);
  if (is('refuses a delivery that it has')) await pool.query(`CREATE UNIQUE INDEX ON "${queue}" (md5(data))`);

  const enqueue: ContractQueue['enqueue'] = async (entries, context) => {
    const large = is('skips large events') ? 1e6 : Number.POSITIVE_INFINITY;
    const messages = entries
      .slice(0, is('stores the first event of a delivery only') ? 1 : entries.length)
      .map(({ event, idempotencyKey: key }) => {
        const idempotencyKey = is('confuses keys that differ in case') ? key.toLowerCase() : key;
        return toMessage(
          { event, idempotencyKey },
          is('loses the source') ? { ...context, source: undefined } : context,
        );
      })
      .filter(({ length }) => length < large);
    const stored = pool.query(`INSERT INTO "${queue}" (data) SELECT unnest($1::text[])`, [messages]);
    if (is('acknowledges what a full engine refuses')) await stored.catch(() => {});
    else if (is('acknowledges before it stores')) stored.catch(() => {});
    else await stored;
  };

  /** Handles a message, if one is due. Its transaction ends with the process, so another worker gets the message. */
  async function handleNext(worker: ContractWorker): Promise<boolean> {
    const client = await pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      const [due, lock] = is('holds up the events behind a bad one') ? ['true', ''] : ['due <= now()', 'SKIP LOCKED'];
      const next = `SELECT * FROM "${queue}" WHERE reason IS NULL AND ${due} ORDER BY id LIMIT 1 FOR UPDATE ${lock}`;
      const [row] = (await client.query(next)).rows;
      const set = (assignments: string, ...values: unknown[]) =>
        client.query(`UPDATE "${queue}" SET ${assignments} WHERE id = $1`, [row.id, ...values]);
      const remove = () => client.query(`DELETE FROM "${queue}" WHERE id = $1`, [row.id]);
      if (row && is('acknowledges before the effect')) await remove();
      if (row && is('gives up on an event whose worker died')) await set(`reason = 'died'`);
      if (row && is('acknowledges before the effect', 'gives up on an event whose worker died')) {
        await client.query('COMMIT; BEGIN');
      }
      if (row) {
        await handleMessage(row.data, worker).then(remove, async (error: Error) => {
          if (is('holds up the events behind a bad one')) return;
          const isForeign = is('retries messages of strangers for ever') && /not an event job/.test(error.message);
          const forever = is('retries for ever') || isForeign ? 100 : undefined;
          const delayMs = is('gives up at the first failure')
            ? undefined
            : (retryDelayMs(error, row.attempt, settings) ?? forever);
          if (delayMs !== undefined) await set(`attempt = attempt + 1, due = now() + $2 * interval '1 ms'`, delayMs);
          else if (is('drops what fails')) await remove();
          else await set('reason = $2', is('keeps no reason') ? '' : error.message);
        });
      }
      await client.query('COMMIT');
      isBroken = false;
      return row !== undefined;
    } finally {
      client.release(isBroken);
    }
  }

  return {
    enqueue,
    add: (data: string) => pool.query(`INSERT INTO "${queue}" (data) VALUES ($1)`, [data]),
    async work(worker: ContractWorker) {
      let isOver = false;
      const loops = Array.from({ length: 8 }, async () => {
        while (!isOver) if (!(await handleNext(worker).catch(() => false))) await setTimeout(200);
      });
      return async () => {
        isOver = true;
        if (!is('abandons handlers when it shuts down')) await Promise.all(loops);
      };
    },
    async deadLetters() {
      const { rows } = await pool.query(`SELECT data AS text, reason FROM "${queue}" WHERE reason IS NOT NULL`);
      return rows as { text: string; reason: string }[];
    },
    close: () => pool.end(),
  };
}

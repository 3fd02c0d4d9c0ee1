import { ConfigError } from '../errors.js';
import { isRecord } from '../values.js';

/** What is used of pg-boss's connection to its database. */
export interface PgBossDbLike {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What is used of pg-boss's description of a queue. */
export interface PgBossQueueLike {
  readonly policy?: string | null | undefined;
  readonly deadLetter?: string | null | undefined;
  readonly retentionMinutes?: number | null | undefined;
  readonly expireInSeconds?: number | null | undefined;
}

/** What is needed to look at a queue. */
export interface PgBossQueuesLike {
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  getDb(): PgBossDbLike;
}

/** pg-boss moves jobs away that nobody has worked on for so long: an acknowledged event must not be among them. */
export const KEEP_MS = 10 * 365 * 86_400_000;

/** Checks that the queue is what the hand-off needs; gives the `expireInSeconds` of its jobs. Throws ConfigError if not. */
export async function checkQueue(
  boss: PgBossQueuesLike,
  name: string,
  retentionMs: number,
  handlerTimeoutMs: number,
): Promise<number> {
  const db = openDb(boss);
  const queue = await boss.getQueue(name);
  const refuse: (what: string) => never = (what) => {
    throw new ConfigError(`The pg-boss queue ${name} ${what}.`);
  };
  if (queue === null) {
    refuse('does not exist: create it with boss.createQueue(name, { name, deadLetter }), the dead-letter queue first');
  }
  const { policy, deadLetter, retentionMinutes, expireInSeconds } = queue;
  if (!isStandard(queue)) {
    refuse(
      `has the policy ${policy}, which drops jobs: set it with boss.updateQueue(name, { name, policy: 'standard' })`,
    );
  }
  if (!deadLetter || deadLetter === name) {
    refuse('has no dead-letter queue: name one with boss.updateQueue(name, { name, deadLetter })');
  }
  const dead = await boss.getQueue(deadLetter);
  if (dead === null || !isStandard(dead)) {
    refuse(`has the dead-letter queue ${deadLetter}, which does not exist or does not have the policy 'standard'`);
  }
  if (retentionMinutes != null && retentionMinutes * 60_000 < retentionMs) {
    refuse(
      `has a retentionMinutes of ${retentionMinutes}: set it to ${Math.ceil(retentionMs / 60_000)} (retentionMs) or more`,
    );
  }
  const remembered = rememberedMs(db);
  if (remembered < retentionMs) {
    refuse(
      `forgets what is done after ${remembered} ms (archive…AfterSeconds and deleteAfter… of PgBoss): make that retentionMs, ${retentionMs} ms, or more`,
    );
  }
  // The default of pg-boss is 15 minutes: for so long the job of a worker that died would wait.
  const expiry = expireInSeconds ?? Math.ceil((3 * handlerTimeoutMs) / 1000);
  if (isTooShort(expiry, handlerTimeoutMs)) {
    refuse(`has an expireInSeconds of ${expiry}: set it to more than twice handlerTimeoutMs, ${handlerTimeoutMs} ms`);
  }
  return expiry;
}

function isStandard({ policy }: PgBossQueueLike): boolean {
  return policy == null || policy === 'standard';
}

/** Whether a job could be given to somebody else while its handler, and the store around it, are within their time. */
export function isTooShort(expireInSeconds: number, handlerTimeoutMs: number): boolean {
  return expireInSeconds * 1000 <= 2 * handlerTimeoutMs;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** How long pg-boss has a job that is done, in its archive too; no end where its own connection does not say. */
function rememberedMs(db: PgBossDbLike): number {
  const config = configOf(db);
  if (typeof config.archiveSeconds !== 'number') return Number.POSITIVE_INFINITY;
  const [amount, unit] = String(config.deleteAfter).split(' ');
  const archivedMs = Number(amount) * Number(UNIT_MS[String(unit)]);
  return config.archiveSeconds * 1000 + (Number.isNaN(archivedMs) ? Number.POSITIVE_INFINITY : archivedMs);
}

/** The connection of a PgBoss. Throws ConfigError while it has none: what pg-boss asks for then is answered with nothing. */
export function openDb(boss: PgBossQueuesLike): PgBossDbLike {
  const db = boss.getDb();
  if (!('config' in db) || ('opened' in db && db.opened === true)) return db;
  throw new ConfigError('The PgBoss is not started, or was stopped: await boss.start() before deliveries come in.');
}

/** What pg-boss's own connection says of its settings; nothing where the connection is another. */
function configOf(db: PgBossDbLike): Readonly<Record<string, unknown>> {
  return 'config' in db && isRecord(db.config) ? db.config : {};
}

/** Throws ConfigError for what is no plain name of a schema. */
export function checkSchema(schema: unknown): asserts schema is string {
  if (typeof schema === 'string' && /^[A-Za-z_]\w{0,49}$/.test(schema)) return;
  throw new ConfigError('Option schema must be the name of a schema.');
}

/** The schema that jobs go to. To look for them in another would be to take what is not stored for stored. */
export function schemaOf(db: PgBossDbLike, given: string | undefined): string {
  const { schema = given ?? 'pgboss' } = configOf(db);
  checkSchema(schema);
  if (given === undefined || given.toLowerCase() === schema.toLowerCase()) return schema;
  throw new ConfigError(`Option schema is ${given}, and the PgBoss stores in ${schema}: leave the option out.`);
}

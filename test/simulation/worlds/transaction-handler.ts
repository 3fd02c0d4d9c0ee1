import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import type { HandlerLimits } from './handler.js';

/** What a handler uses of its transaction. */
export interface Tx {
  query(text: string): Promise<unknown>;
}

const WAYS = [
  ...['succeeds', 'succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'is slow', 'counts', 'counts'],
  ...['counts in another order', 'uses a savepoint', 'swallows a failing statement', 'has a failing statement'],
  ...[
    'writes again later',
    'times out in a statement',
    'does not await',
    'commits',
    'commits half',
    'rolls back',
    'sets',
  ],
] as const;

/**
 * A handler that writes one effect for each key in its transaction, as people write them and as they should not: it fails
 * at any point, waits for rows that others have locked, outlives its limit, and uses its transaction when that is over.
 */
export async function writeEffects(
  process: Process,
  tx: Tx,
  keys: readonly string[],
  { timeoutMs, horizonMs }: HandlerLimits,
): Promise<void> {
  const { choices, now, history } = process.world;
  const way = now < horizonMs ? choices.pick(WAYS) : 'succeeds';
  history.add(process.name, `has a handler that ${way}`);
  const wait = (ms: number) => new Promise<void>((resolve) => process.setTimeout(resolve, ms));
  const write = () => Promise.all(keys.map((key) => tx.query(`INSERT INTO effects (key) VALUES ('${key}')`)));
  const shortly = () => (choices.oneIn(3) ? wait(choices.below(timeoutMs / 3)) : undefined);

  await shortly();
  if (way === 'fails before') throw new Error('The handler fails.');
  if (way === 'is slow') await wait(timeoutMs * (0.8 + choices.below(20) / 5));
  if (way === 'times out in a statement') await tx.query(`SELECT pg_sleep(${choices.pick([0.2, 0.5, 2])})`);
  if (way === 'has a failing statement') await tx.query('INSERT INTO nothing VALUES (1)');
  if (way === 'swallows a failing statement') await tx.query('INSERT INTO nothing VALUES (1)').catch(ignore);
  if (way === 'uses a savepoint') await failSafely(tx);
  if (way === 'sets') await tx.query("SET search_path = 'elsewhere'");
  if (way === 'does not await') {
    write().catch(ignore);
    return;
  }
  if (way === 'sets') await tx.query("SET search_path = 'public'");
  if (way === 'commits half') {
    await tx.query(`INSERT INTO effects (key) VALUES ('${keys[0]}')`);
    await tx.query('COMMIT');
    throw new Error('The handler fails after it has committed half of its effects.');
  }
  await write();
  if (way.startsWith('counts')) await count(tx, way === 'counts', choices);
  await shortly();
  if (way === 'fails after') throw new Error('The handler fails after its effect.');
  if (way === 'commits') await tx.query('COMMIT');
  if (way === 'rolls back') await tx.query('ROLLBACK');
  if (way === 'writes again later') {
    for (let time = 0; time < 3; time++) {
      process.setTimeout(() => write().catch(ignore), choices.below(timeoutMs));
    }
  }
}

async function failSafely(tx: Tx): Promise<void> {
  await tx.query('SAVEPOINT before');
  await tx.query('INSERT INTO nothing VALUES (1)').catch(ignore);
  await tx.query('ROLLBACK TO SAVEPOINT before');
}

/** Locks rows that other handlers lock in the same order, or in the other. */
async function count(tx: Tx, isOrdered: boolean, choices: Choices): Promise<void> {
  const names = isOrdered || choices.below(2) === 0 ? ['x', 'y'] : ['y', 'x'];
  if (!isOrdered) await tx.query("SET LOCAL deadlock_timeout = '20ms'");
  for (const name of names) await tx.query(`UPDATE counters SET n = n + 1 WHERE name = '${name}'`);
}

function ignore(): void {}

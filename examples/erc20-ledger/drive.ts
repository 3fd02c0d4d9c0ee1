// Has a token's transfers happen on a chain of its own, sends their logs as badly as a service may, and compares.
import type { ChildProcess } from 'node:child_process';
import { Client } from 'pg';
import type { Address } from 'viem';
import { startAnvil } from '../servers/anvil.js';
import { connect, makeHistory } from './chain.js';
import { Random } from './random.js';
import { sendAll } from './send.js';
import { tokenAbi } from './token.js';
import { eventOf } from './wire.js';

/** What examples/run.ts has made ready. */
export interface Run {
  /** Of the receiver. */
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  readonly secret: string;
  /** Starts a program; resolves when it listens. */
  readonly start: (program: string) => Promise<ChildProcess>;
  /** What is to be done at the end, the last first. */
  readonly cleanUp: (() => unknown)[];
}

/** @returns Whether every balance equals that of the chain. */
export async function drive({ env, url, secret, start, cleanUp }: Run): Promise<boolean> {
  const { SEED: seed = crypto.randomUUID(), DATABASE_URL } = env;
  const random = new Random(seed);
  const anvil = await startAnvil();
  cleanUp.unshift(() => anvil.stop());
  const client = connect(anvil.url);
  const { token, accounts, seen } = await makeHistory(client, random);
  const removed = seen.filter(({ log }) => log.removed).length;
  console.log(`chain    | ${seen.length - removed} logs, and re-orgs that took ${removed} back (SEED=${seed})`);

  // In a schema of its own: the chain's accounts are the same every time, and the database may be yours.
  const database = new Client({ connectionString: DATABASE_URL });
  await database.connect();
  const schema = `erc20_ledger_${process.pid}`;
  cleanUp.unshift(() => database.end());
  await database.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`);
  cleanUp.unshift(() => database.query(`DROP SCHEMA ${schema} CASCADE`));
  Object.assign(env, { TOKEN_ADDRESS: token, CHAIN_ID: '31337', PGOPTIONS: `-c search_path=${schema}` });

  // Some come again, under the same id or another; all of them in any order, a removal before its log among them.
  const events = seen.map(eventOf);
  const repeated = events.filter(() => random.below(3) === 0);
  const renamed = seen.filter(() => random.below(4) === 0).map(eventOf);
  const shuffled = random.shuffled([...events, ...repeated, ...renamed]);
  const deliveries: unknown[][] = [];
  while (shuffled.length > 0) deliveries.push(shuffled.splice(0, 1 + random.below(4)));

  let receiver = await start('receiver');
  const halfWay = async () => {
    receiver.kill('SIGKILL');
    console.log('sender   | killed the receiver');
    receiver = await start('receiver');
  };
  const answers = await sendAll(deliveries, {
    url,
    secret,
    acknowledged: (count) => (count === deliveries.length >> 1 ? halfWay() : undefined),
  });
  const count = events.length + repeated.length + renamed.length;
  console.log(`sender   | ${count} events in ${deliveries.length} deliveries, answered ${JSON.stringify(answers)}`);

  // Straight from the table to the chain: the driver keeps no balances of its own.
  const { rows } = await database.query<{ address: string; amount: string }>('SELECT address, amount FROM balances');
  const amounts = new Map(rows.map(({ address, amount }) => [address, amount]));
  let isEqual = true;
  for (const holder of new Set([...accounts, ...amounts.keys()])) {
    const contract = { abi: tokenAbi, address: token, functionName: 'balanceOf' } as const;
    const balance = String(await client.readContract({ ...contract, args: [holder as Address] }));
    const amount = amounts.get(holder) ?? '0';
    isEqual &&= amount === balance;
    console.log(`${holder} ${amount === balance ? '=' : `${amount} in the table, and on the chain`} ${balance}`);
  }
  return isEqual;
}

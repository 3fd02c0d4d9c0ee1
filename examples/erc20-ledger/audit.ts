import type { Pool } from 'pg';
import { type Address, getAbiItem, type RpcLog } from 'viem';
import type { connect, Notice } from './chain.js';
import { tokenAbi } from './token.js';

const NOBODY = '0x0000000000000000000000000000000000000000';
const transfer = getAbiItem({ abi: tokenAbi, name: 'Transfer' });

/** The key under which a log is counted. */
export function keyOf({
  blockHash,
  transactionHash,
  logIndex,
}: Pick<RpcLog, 'blockHash' | 'transactionHash'> & { logIndex: unknown }) {
  return `31337:${blockHash}:${transactionHash}:${Number(logIndex)}`;
}

/** What is in the tables and on the chain. */
export interface Findings {
  /** Keys of all transfers that are final. */
  readonly final: ReadonlySet<string>;
  /** Keys of those that were counted, and the way each of them came. */
  readonly counted: ReadonlyMap<string, string>;
  /** How the balances of the table differ from what was counted, and once everything is, from `balanceOf`. */
  readonly wrong: readonly string[];
}

/** Compares the tables with the chain up to its finalized block. */
export async function audit(database: Pool, client: ReturnType<typeof connect>, token: Address): Promise<Findings> {
  // One statement, so that both tables are read as of the same moment; and before the chain, which only gets longer.
  const { rows } = await database.query<{ journal: [string, string][]; balances: Record<string, string> }>(`SELECT
    (SELECT coalesce(json_agg(json_build_array(key, via)), '[]') FROM journal) AS journal,
    (SELECT coalesce(json_object_agg(address, amount::text), '{}') FROM balances) AS balances`);
  const [{ journal, balances }] = rows as [(typeof rows)[number]];
  const { number: toBlock } = await client.getBlock({ blockTag: 'finalized' });
  const logs = await client.getLogs({ address: token, event: transfer, fromBlock: 0n, toBlock, strict: true });

  const final = new Map(logs.map((log) => [keyOf(log), log.args]));
  const counted = new Map(journal);
  const wrong: string[] = [];
  const sums = new Map<string, bigint>();
  const add = (address: string, value: bigint) => {
    if (address !== NOBODY) sums.set(address, (sums.get(address) ?? 0n) + value);
  };
  for (const [key] of journal) {
    const args = final.get(key);
    if (args === undefined) wrong.push(`${key} was counted and is not final at block ${toBlock}`);
    else {
      add(args.from, -args.value);
      add(args.to, args.value);
    }
  }
  if (counted.size < journal.length) wrong.push(`${journal.length - counted.size} transfers were counted twice`);
  const isComplete = counted.size === final.size;
  for (const address of new Set([...Object.keys(balances), ...sums.keys()])) {
    const contract = { abi: tokenAbi, address: token, functionName: 'balanceOf', blockNumber: toBlock } as const;
    const expected = isComplete
      ? await client.readContract({ ...contract, args: [address as Address] })
      : sums.get(address);
    const amount = balances[address];
    if (amount !== String(expected ?? 0n))
      wrong.push(`${address} has ${amount} in the table, and must have ${expected}`);
  }
  return { final: new Set(final.keys()), counted, wrong };
}

/** What the runs of reconcile have printed. */
export interface Reports {
  /** Runs that began, and those that were neither killed nor stopped. */
  begun: number;
  ended: number;
  madeGood: number;
}

/** Whether everything that was never sent was made good by reconcile, and reported by those runs that were not killed. */
export function isMadeGood({ final, counted }: Findings, sent: readonly Notice[], reports: Reports): boolean {
  const keys = new Set(sent.filter(({ log }) => !log.removed).map(({ log }) => keyOf(log)));
  const lost = [...final].filter((key) => !keys.has(key));
  const madeGood = [...counted.values()].filter((via) => via === 'reconcile').length;
  console.log(
    `audit    | ${lost.length} were never sent; ${madeGood} made good, ${reports.madeGood} of them reported; ${reports.ended} of ${reports.begun} runs were complete`,
  );
  const isReported = reports.ended === reports.begun ? reports.madeGood === madeGood : reports.madeGood <= madeGood;
  return isReported && lost.length > 0 && lost.every((key) => counted.get(key) === 'reconcile');
}

/** How many jobs pg-boss still has to run, those in the dead-letter queue included. */
export async function openJobs(database: Pool): Promise<number> {
  const query = "SELECT count(*)::int AS open FROM pgboss.job WHERE state < 'completed'";
  return (await database.query<{ open: number }>(query)).rows[0]?.open ?? 0;
}

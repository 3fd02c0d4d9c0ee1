import { type Address, zeroAddress } from 'viem';
import { contractEvent } from '../../src/evm/index.js';
import { createRouter } from '../../src/index.js';
import type { Chain } from './chain.js';

/** Handlers that keep the balances of all tokens by the events alone. */
export function keepBooks({ contracts }: Chain) {
  const { points, coins, deeds, goods } = contracts;
  const books = new Map<string, bigint>();
  let undone = 0;
  const add = (kind: string, who: Address, value: bigint) => {
    if (who !== zeroAddress) books.set(`${kind} ${who}`, (books.get(`${kind} ${who}`) ?? 0n) + value);
  };
  const move = (kind: string, from: Address, to: Address, value: bigint) => {
    add(kind, from, -value);
    add(kind, to, value);
  };

  const router = createRouter();
  for (const removed of [false, true]) {
    const sign = (value: bigint) => {
      if (removed) undone++;
      return removed ? -value : value;
    };
    for (const token of [points, coins]) {
      router.on(contractEvent({ abi: token.abi, address: token.address, name: 'Transfer', removed }), ({ args }) =>
        move(token.label, args.from, args.to, sign(args.value)),
      );
    }
    router
      .on(contractEvent({ abi: deeds.abi, address: deeds.address, name: 'Transfer', removed }), ({ args }) =>
        move('deeds', args.from, args.to, sign(1n)),
      )
      .on(contractEvent({ abi: goods.abi, address: goods.address, name: 'TransferSingle', removed }), ({ args }) =>
        move(`goods ${args.id}`, args.from, args.to, sign(args.value)),
      )
      .on(contractEvent({ abi: goods.abi, address: goods.address, name: 'TransferBatch', removed }), ({ args }) => {
        for (const [at, id] of args.ids.entries()) {
          move(`goods ${id}`, args.from, args.to, sign(args.values[at] ?? 0n));
        }
      });
  }
  return {
    onEvent: router.dispatch,
    undone: () => undone,
    balances: () => Object.fromEntries([...books].filter(([, value]) => value !== 0n)),
  };
}

/** The same balances as the contracts have them. */
export async function balancesOf(
  { client, contracts }: Chain,
  people: readonly Address[],
): Promise<Record<string, bigint>> {
  const { points, coins, deeds, goods } = contracts;
  const entries = people.flatMap((who) => [
    ...[points, coins, deeds].map(async ({ label, abi, address }) => {
      const value = await client.readContract({ abi, address, functionName: 'balanceOf', args: [who] });
      return [`${label} ${who}`, value] as const;
    }),
    ...[0n, 1n].map(async (id) => {
      const value = await client.readContract({ ...goods, functionName: 'balanceOf', args: [who, id] });
      return [`goods ${id} ${who}`, value] as const;
    }),
  ]);
  return Object.fromEntries((await Promise.all(entries)).filter(([, value]) => value !== 0n));
}

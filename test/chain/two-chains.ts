import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, http, publicActions, testActions, toHex } from 'viem';
import { foundry } from 'viem/chains';
import { startAnvil } from '../../examples/servers/anvil.js';

/** Block 0 of both chains has this time, in Unix seconds. */
const GENESIS = 1_700_000_000;

/**
 * Two anvils with the same block 0 behind one URL. The same blocks mined on both have the same hashes, so that switching
 * from one to the other is a re-org, and switching back puts blocks back. Answers may also come from either at random.
 */
export async function openTwoChains({ slotsInAnEpoch = 2 } = {}) {
  const options = ['--timestamp', String(GENESIS), '--no-mining', '--slots-in-an-epoch', String(slotsInAnEpoch)];
  const anvils = await Promise.all([startAnvil(0, ...options), startAnvil(0, ...options)]);
  const clients = anvils.map(({ url }) =>
    createClient({ chain: foundry, transport: http(url) })
      .extend(publicActions)
      .extend(testActions({ mode: 'anvil' })),
  );
  let pick = () => 0;

  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(anvils[pick()]?.url ?? '', { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  const height = async (chain: number) => Number(await clients[chain]?.getBlockNumber({ cacheTime: 0 }));

  return {
    /** URL of the chain that is shown. */
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    clients,
    height,
    /** Shows one of the chains from now on, or what a function picks for each request. */
    show(chain: number | (() => number)) {
      pick = typeof chain === 'number' ? () => chain : chain;
    },
    /** Mines blocks on the given chains, one second apart; with another fork, blocks with other hashes. */
    async mine(blocks: number, on: readonly number[] = [0, 1], fork = 0) {
      for (const chain of on) {
        for (let block = 0; block < blocks; block++) {
          const timestamp = BigInt(GENESIS + 10 * ((await height(chain)) + 1) + fork);
          await clients[chain]?.setNextBlockTimestamp({ timestamp });
          await clients[chain]?.mine({ blocks: 1 });
        }
      }
    },
    /** The number and hash of a block, as in `rawFields`. */
    async block(chain: number, number: number) {
      const block = await clients[chain]?.getBlock({ blockNumber: BigInt(number) });
      if (!block?.hash) throw new Error(`Chain ${chain} has no block ${number}.`);
      return { number: toHex(number), hash: block.hash };
    },
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await Promise.all(anvils.map((anvil) => anvil.stop()));
    },
  };
}

import type { Hex } from 'viem';
import type { Random } from '../chaos/random.js';
import type { Chain } from './chain.js';
import { type Call, encodeCall, planner } from './plans.js';

/** A call that was sent, with its transaction. */
export interface SentCall extends Call {
  readonly hash: Hex;
}

/** Fees of the kinds of transaction: without a list, with one, with a priority fee, and whatever the node takes. */
const KINDS = [
  { gasPrice: '0x77359400' },
  { gasPrice: '0x77359400', accessList: [{ address: `0x${'11'.repeat(20)}`, storageKeys: [`0x${'22'.repeat(32)}`] }] },
  { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' },
  {},
];

/** Sends random calls to all the contracts, several to a block, of which some fail. */
export async function sendTraffic(chain: Chain, random: Random, count: number): Promise<SentCall[]> {
  const { first, next } = planner(chain, random);
  const calls = [...first, ...Array.from({ length: count }, (_, at) => next(at))];
  const sent: SentCall[] = [];
  let left = 0;
  for (const call of calls) {
    const sending = { from: call.from, to: call.contract.address, data: encodeCall(call), ...random.pick(KINDS) };
    sent.push({ ...call, hash: await chain.send(sending) });
    if (left-- > 0 && sent.length < calls.length) continue;
    await chain.mine();
    left = random.int(0, 9);
  }
  return sent;
}

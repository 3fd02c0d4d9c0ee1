import { toHex } from 'viem';
import type { WebhookEvent } from '../../../src/index.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../../src/testing/index.js';
import { token } from '../../simulation/models/chain/token.js';
import type { Random } from '../random.js';
import { WALLET } from './history.js';
import type { Happening } from './logs.js';

/** An event for what happened, as the service sends it; or the notice that a re-org removed the log. */
export function eventOf(
  { mined, transactionIndex, logIndex }: Happening,
  random: Random,
  isRemoval = false,
): WebhookEvent {
  const { block, number, second } = mined;
  const id = random.uuid();
  const triggeredAt = new Date(second * 1000).toISOString().replace('.000', '');
  const tx = block.transactions[transactionIndex];
  const place = { blockHash: block.hash, blockNumber: number };
  if (logIndex === undefined) {
    const times = { createdAt: triggeredAt, updatedAt: triggeredAt };
    return sampleTransactionIncluded({ id, data: { ...place, ...times, from: WALLET.toLowerCase(), tx } });
  }
  // Its place is then in `transaction` alone.
  const isWithoutRaw = !isRemoval && random.chance(0.15);
  const log = { ...mined.logs[logIndex], removed: isRemoval };
  return sampleEventEmitted({
    id,
    data: {
      triggeredAt,
      event: {
        inputs: [
          { name: 'from', value: WALLET, hashed: false, type: 'address' },
          { name: 'to', value: token.address, hashed: false, type: 'address' },
          { name: 'value', value: String(Number(log.data)), hashed: false, type: 'uint256' },
        ],
        rawFields: isWithoutRaw ? undefined : JSON.stringify(log),
        indexInLog: logIndex,
      },
      transaction: { ...place, txHash: String(tx?.hash), txIndexInBlock: transactionIndex, txData: toHex(0) },
    },
  });
}

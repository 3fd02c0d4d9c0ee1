import { type Hex, padHex, parseAbi, toEventSelector, toHex } from 'viem';
import type { EventEmitted } from '../../../../src/events/types.js';
import type { GivenLog, Mined } from './block.js';

/** The contract whose logs the worlds handle, as `chainSource` takes it. */
export const token = {
  address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']),
  name: 'Token',
  label: 'token',
} as const;

const NOBODY = padHex('0x1', { size: 20 });
const wire = { address: token.address, addressLabel: 'token', name: 'Token', label: 'token' };

const log: GivenLog = {
  address: token.address.toLowerCase() as Hex,
  topics: [toEventSelector('Transfer(address,address,uint256)'), padHex('0x1'), padHex('0x2')],
  data: padHex(toHex(7)),
};

/** A transaction with a number of transfers. */
export function transfers(count: number) {
  return { logs: Array.from({ length: count }, () => log) };
}

/** What the service sends for a log of a block, or for its removal by a re-org. */
export function eventOf(mined: Mined, index: number, id: string, removed: boolean): EventEmitted {
  const written = mined.logs[index];
  if (!written) throw new RangeError(`Block ${mined.number} has no log ${index}.`);
  return {
    id,
    event: 'event.emitted',
    data: {
      triggeredAt: new Date(1000 * mined.second).toISOString(),
      event: {
        name: 'Transfer',
        signature: 'Transfer(address,address,uint256)',
        inputs: [{ name: 'value', value: '7', hashed: false, type: 'uint256' }],
        rawFields: JSON.stringify({ ...written, removed }),
        contract: wire,
        indexInLog: index,
      },
      transaction: {
        ...{ from: NOBODY, txData: '0x', txHash: written.transactionHash, txIndexInBlock: 0 },
        ...{ blockHash: mined.block.hash, blockNumber: mined.number },
      },
    },
  };
}

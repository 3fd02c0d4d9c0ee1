import type { EventEmitted } from '../../../src/events/types.js';

const HASH = `0x${'b1'.repeat(32)}`;
const NOBODY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const contract = { address: NOBODY, addressLabel: 'token', name: 'Token', label: 'token' };

/** An event with this id. */
export function eventOf(id: string): EventEmitted {
  return {
    id,
    event: 'event.emitted',
    data: {
      triggeredAt: '2026-01-01T00:00:00Z',
      event: {
        name: 'Transfer',
        signature: 'Transfer(address,address,uint256)',
        inputs: [{ name: 'value', value: '1', hashed: false, type: 'uint256' }],
        contract,
        indexInLog: 0,
      },
      transaction: { from: NOBODY, txData: '0x', txHash: HASH, txIndexInBlock: 0, blockHash: HASH, blockNumber: 16 },
    },
  };
}

/** The key that a receiver gives such an event by default. */
export function keyOf(id: string): string {
  return `event.emitted:${id}`;
}

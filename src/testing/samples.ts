import { hmacHex } from '#runtime';
import type { EventEmitted, TransactionIncluded } from '../events/types.js';
import { isRecord } from '../internal/guards.js';

/** `T` with all keys optional at any depth. Arrays are replaced as a whole. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Overrides<T[K]> | undefined }
    : T;

/** Merges `overrides` into a copy of `base`. `__proto__` is an ordinary key. */
function override<T>(base: T, overrides: unknown): T {
  if (!isRecord(base) || !isRecord(overrides)) return overrides as T;
  const entries = Object.entries(overrides).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? override(base[key], value) : value,
  ]);
  return Object.fromEntries([...Object.entries(base), ...entries]) as T;
}

export const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const BLOCK_HASH = `0x${'b1'.repeat(32)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const word = (hex: string) => `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;

/** A transaction hash derived from an event's id, so that different ids mean different logs. */
export const txHashOf = (id: string): string =>
  // As JSON, which unlike UTF-8 distinguishes lone surrogates.
  `0x${hmacHex(JSON.stringify(String(id)), '', 'sample')}`;

/**
 * Returns an `event.emitted` in the live service's format: an ERC-20 transfer of one token. Each call has a random `id` and
 * a transaction hash derived from it, so that a receiver sees different events. It does not keep `rawFields` and the inputs
 * consistent: for an event with other inputs use {@link sampleContractEvent}.
 *
 * @example
 * ```ts
 * import { sampleEventEmitted } from 'event-webhook-receiver/testing';
 *
 * const event = sampleEventEmitted({ data: { event: { name: 'Mint', rawFields: undefined } } });
 * console.log(event.data.event.name); // Mint
 * ```
 * @param overrides Values to change, at any depth. `undefined` removes a key; arrays are replaced as a whole.
 * @returns A new event.
 */
export function sampleEventEmitted(overrides: Overrides<EventEmitted> = {}): EventEmitted {
  const contract = () => ({ address: TOKEN, addressLabel: 'sample_token', name: 'SampleToken', label: 'sampletoken' });
  const { id = crypto.randomUUID() } = overrides;
  const txHash = txHashOf(id);
  const sample: EventEmitted = {
    id,
    event: 'event.emitted',
    data: {
      triggeredAt: '2026-01-02T03:04:05Z',
      event: {
        name: 'Transfer',
        signature: 'Transfer(address,address,uint256)',
        inputs: [
          { name: 'from', value: FROM, hashed: false, type: 'address' },
          { name: 'to', value: TO, hashed: false, type: 'address' },
          { name: 'value', value: '1000000000000000000', hashed: false, type: 'uint256' },
        ],
        rawFields: JSON.stringify({
          address: TOKEN.toLowerCase(),
          topics: [TRANSFER, word(FROM), word(TO)],
          data: word('de0b6b3a7640000'),
          blockNumber: '0x10',
          transactionHash: txHash,
          transactionIndex: '0x0',
          blockHash: BLOCK_HASH,
          logIndex: '0x0',
          removed: false,
        }),
        contract: contract(),
        indexInLog: 0,
      },
      transaction: {
        from: FROM,
        txData: `0xa9059cbb${word(TO).slice(2)}${word('de0b6b3a7640000').slice(2)}`,
        txHash,
        txIndexInBlock: 0,
        blockHash: BLOCK_HASH,
        blockNumber: 16,
        contract: contract(),
        method: {
          name: 'transfer',
          signature: 'transfer(address,uint256)',
          inputs: [
            { name: 'to', value: TO, type: 'address' },
            { name: 'value', value: '1000000000000000000', type: 'uint256' },
          ],
        },
      },
    },
  };
  return override(sample, overrides);
}

/**
 * Returns a `transaction.included` in the live service's format, with a random `id` and transaction hash. It does not keep
 * overridden fields consistent with the others.
 *
 * @example
 * ```ts
 * import { sampleTransactionIncluded } from 'event-webhook-receiver/testing';
 *
 * const reverted = sampleTransactionIncluded({ data: { failed: true } });
 * console.log(reverted.data.status, reverted.data.failed); // included true
 * ```
 * @param overrides Values to change, at any depth. `undefined` removes a key; arrays are replaced as a whole.
 * @returns A new event.
 */
export function sampleTransactionIncluded(overrides: Overrides<TransactionIncluded> = {}): TransactionIncluded {
  const { id = crypto.randomUUID() } = overrides;
  const sample: TransactionIncluded = {
    id,
    event: 'transaction.included',
    data: {
      tx: {
        type: '0x2',
        chainId: '0x7a69',
        nonce: '0x1',
        to: TOKEN.toLowerCase(),
        gas: '0x9ba9',
        gasPrice: null,
        maxPriorityFeePerGas: '0x3b9aca00',
        maxFeePerGas: '0x77359400',
        value: '0x0',
        input: `0xa9059cbb${word(TO).slice(2)}${word('de0b6b3a7640000').slice(2)}`,
        accessList: [],
        v: '0x1',
        r: `0x${'1c'.repeat(32)}`,
        s: `0x${'2d'.repeat(32)}`,
        yParity: '0x1',
        hash: txHashOf(id),
      },
      status: 'included',
      from: FROM.toLowerCase(),
      failed: false,
      blockNumber: 16,
      blockHash: BLOCK_HASH,
      resubmissionAttempts: 0,
      successfulResubmissions: 0,
      createdAt: '2026-01-02T03:04:03.120000Z',
      updatedAt: '2026-01-02T03:04:06.450000Z',
    },
  };
  return override(sample, overrides);
}

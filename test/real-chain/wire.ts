import { type Address, getAddress, type Hex } from 'viem';
import type { ContractInfo } from '../../src/events/types.js';
import type { EventEmitted, TransactionIncluded } from '../../src/index.js';
import { createTestDelivery, type TestDelivery } from '../../src/testing/index.js';
import type { Random } from '../chaos/random.js';
import { loggedInputs, type Pick as PickForm } from '../evm/arbitrary-wire.js';
import { signatureOf } from '../evm/encode.js';
import { secret } from '../helpers.js';
import type { Chain, Deployed, Happened } from './chain.js';
import { calledWith, eventOf, functionOf, goText, valuesOf } from './decoded.js';

/** A sender in the place of the service: writes what a node tells in the live service's format, with values in any form. */
export function createWire(
  chain: Pick<Chain, 'contractAt'>,
  random: Random,
  pick: PickForm = (...forms) => random.pick(forms),
) {
  const contractOf = (address: string | null): Deployed => {
    const contract = chain.contractAt(address);
    if (!contract) throw new Error('A log of no contract of ours.');
    return contract;
  };

  function wireContract({ address, label }: Deployed): ContractInfo {
    const alias = random.chance(0.5) ? { addressLabel: label } : { addressAlias: label };
    return { address, ...alias, name: `${label}Contract`, label } as ContractInfo;
  }

  function wireTransaction({ transaction, block }: Happened): EventEmitted['data']['transaction'] {
    const called = chain.contractAt(transaction.to);
    const item = functionOf(called, transaction.input);
    return {
      from: getAddress(transaction.from),
      txData: transaction.input,
      txHash: transaction.hash,
      txIndexInBlock: Number(transaction.transactionIndex),
      blockHash: block.hash as Hex,
      blockNumber: Number(block.number),
      contract: called ? wireContract(called) : null,
      method: item
        ? {
            name: item.name,
            signature: signatureOf(item),
            inputs: loggedInputs(item, calledWith(item, transaction.input, goText), {
              pick,
              decimals: called?.decimals ?? 0,
            }).map(({ hashed: _, ...input }) => input),
          }
        : null,
    };
  }

  return {
    /** The `event.emitted` for a log, or for the notice that a re-org removed it. */
    emitted(happened: Happened, removed = false): EventEmitted {
      const { log, transaction, block } = happened;
      const contract = contractOf(log.address);
      const item = eventOf(contract, log, functionOf(chain.contractAt(transaction.to), transaction.input)?.name);
      return {
        id: random.uuid(),
        event: 'event.emitted',
        data: {
          triggeredAt: timeOf(block, random.chance(0.5)),
          event: {
            name: item.name,
            signature: signatureOf(item),
            inputs: loggedInputs(item, valuesOf(item, log, goText), { pick, decimals: contract.decimals ?? 0 }),
            rawFields: rawFields(log, removed, random.chance(0.5)),
            contract: wireContract(contract),
            indexInLog: Number(log.logIndex),
          },
          transaction: wireTransaction(happened),
        },
      };
    },
    included({ transaction, block, failed }: Omit<Happened, 'log'> & { failed: boolean }): TransactionIncluded {
      const { type, chainId, nonce, to, gas, gasPrice, value, input, v, r, s, hash } = transaction;
      const { accessList, maxFeePerGas = null, maxPriorityFeePerGas = null, yParity } = transaction as EveryKey;
      const hasFees = maxFeePerGas !== null;
      const at = { createdAt: timeOf(block, true), updatedAt: timeOf(block, false).replace('Z', '.82265Z') };
      return {
        id: random.uuid(),
        event: 'transaction.included',
        data: {
          tx: {
            ...{ type, chainId: chainId as Hex, nonce, to, gas, gasPrice: hasFees ? null : (gasPrice as Hex) },
            ...{ maxPriorityFeePerGas, maxFeePerGas, value, input, v, r, s, hash },
            ...(accessList && { accessList, yParity }),
          },
          status: 'included',
          from: transaction.from.toLowerCase(),
          failed,
          blockNumber: Number(block.number),
          blockHash: block.hash as Hex,
          ...{ resubmissionAttempts: 0, successfulResubmissions: 0, ...at },
        },
      };
    },
    /** Signed deliveries of random sizes; some of the events come again in a later one. */
    deliveries(events: readonly unknown[]): TestDelivery[] {
      const sending = [...events];
      const deliveries: TestDelivery[] = [];
      while (sending.length > 0) {
        const batch = sending.splice(0, random.int(1, 25));
        const timestamp = Math.floor(Date.now() / 1000);
        deliveries.push(createTestDelivery(batch, { secret, timestamp }));
        if (random.chance(0.2)) sending.push(...batch.filter(() => random.chance(0.2)));
      }
      return deliveries;
    },
  };
}

/** What only transactions of some kinds have. */
interface EveryKey {
  readonly accessList?: readonly unknown[];
  readonly maxFeePerGas?: Hex | null;
  readonly maxPriorityFeePerGas?: Hex | null;
  readonly yParity?: Hex;
}

/** The block's time in RFC 3339, in UTC or with an offset. */
function timeOf({ timestamp }: Happened['block'], hasOffset: boolean): string {
  const time = Number(timestamp) * 1000;
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  return hasOffset ? `${text(time + 9 * 3_600_000)}+09:00` : `${text(time)}Z`;
}

/** The log as JSON text, its keys in the order of the live service. Not every node tells the time of the block. */
function rawFields(log: Happened['log'], removed: boolean, hasTime: boolean): string {
  const { topics, data, blockNumber, transactionHash, transactionIndex, blockHash, logIndex } = log;
  const { blockTimestamp } = log as { blockTimestamp?: Hex };
  return JSON.stringify({
    ...{ address: log.address.toLowerCase() as Address, topics, data, blockNumber, transactionHash, transactionIndex },
    ...{ blockHash, ...(hasTime && { blockTimestamp }), logIndex, removed },
  });
}

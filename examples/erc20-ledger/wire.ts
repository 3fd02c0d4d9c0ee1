import { decodeEventLog, decodeFunctionData, formatUnits, getAbiItem, getAddress, toFunctionSignature } from 'viem';
import type { Notice } from './chain.js';
import { tokenAbi } from './token.js';

/** The event of a log as the live service sends it, under a new id. */
export function eventOf({ log, transaction, timestamp }: Notice) {
  const contract = { address: getAddress(log.address), addressAlias: 'token', name: 'Token', label: 'token' };
  const { args } = decodeEventLog({ abi: tokenAbi, ...log });
  const { functionName, args: given } = decodeFunctionData({ abi: tokenAbi, data: transaction.input });
  const method = getAbiItem({ abi: tokenAbi, name: functionName });
  return {
    id: crypto.randomUUID(),
    event: 'event.emitted',
    data: {
      triggeredAt: new Date(1000 * Number(timestamp)).toISOString().replace('.000', ''),
      event: {
        name: 'Transfer',
        signature: 'Transfer(address,address,uint256)',
        inputs: [
          { name: 'from', value: args.from, hashed: false, type: 'address' },
          { name: 'to', value: args.to, hashed: false, type: 'address' },
          { name: 'value', value: converted(args.value), hashed: false, type: 'uint256' },
        ],
        rawFields: JSON.stringify(log),
        contract,
        indexInLog: Number(log.logIndex),
      },
      transaction: {
        from: getAddress(transaction.from),
        txData: transaction.input,
        txHash: log.transactionHash,
        txIndexInBlock: Number(log.transactionIndex),
        blockHash: log.blockHash,
        blockNumber: Number(log.blockNumber),
        contract,
        method: {
          name: functionName,
          signature: toFunctionSignature(method),
          inputs: method.inputs.map(({ name, type }, at) => ({ name, value: converted(given?.[at]), type })),
        },
      },
    },
  };
}

/** An amount as the service has it where it knows the token's decimals: 123456000 is "123.456". */
function converted(value: unknown): unknown {
  return typeof value === 'bigint' ? formatUnits(value, 6) : value;
}

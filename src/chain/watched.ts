import { ConfigError } from '../errors.js';
import type { ContractInfo } from '../events/types.js';
import { addressCodec } from '../evm/elementary-codecs.js';
import { ADDRESS } from '../evm/hex.js';
import { optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import type { Logger } from '../internal/logger.js';
import { type ContractAbi, contractAbi } from './contract-abi.js';

/** A contract whose logs become events. */
export interface WatchedContract {
  readonly address: string;
  readonly abi: readonly unknown[];
  readonly name: string;
  readonly label: string;
  readonly addressLabel?: string | undefined;
}

/** The watched contracts and wallets, by address in lower case. */
export interface Watched {
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly wallets: ReadonlySet<string>;
}

export interface Contract {
  readonly abi: ContractAbi;
  /** As written in events. */
  readonly wire: ContractInfo;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong entry, or `owner`, the function with the options. */
export function readWatched(owner: string, contracts: unknown, wallets: unknown, logger: Logger): Watched {
  const watched = { contracts: new Map<string, Contract>(), wallets: new Set<string>() };
  for (const [at, contract] of listOf(contracts, 'contracts').entries()) {
    const where = `contracts[${at}]`;
    const { address, name, label, addressLabel = label, abi } = isRecord(contract) ? contract : {};
    for (const [key, text] of Object.entries({ name, label, addressLabel })) {
      if (typeof text !== 'string' || text === '') throw optionError(`${where}.${key}`, 'a non-empty string', text);
    }
    const checksummed = addressOf(address, `${where}.address`);
    if (watched.contracts.has(checksummed.toLowerCase())) {
      throw new ConfigError(`\`${where}\` repeats the address of another contract. List each contract once.`);
    }
    const wire = { address: checksummed, addressLabel, name, label } as ContractInfo;
    const prepared = abiOf(abi, `${where} (${label})`);
    watched.contracts.set(checksummed.toLowerCase(), { abi: prepared, wire });
    if (prepared.skipped.length === 0) continue;
    const items = prepared.skipped.join(', ');
    logger.warn(
      { contract: checksummed },
      `${where} (${label}): items of its ABI have types that cannot be decoded, and are skipped: ${items}.`,
    );
  }
  for (const [at, wallet] of listOf(wallets, 'wallets').entries()) {
    const address = addressOf(wallet, `wallets[${at}]`).toLowerCase();
    if (watched.wallets.has(address))
      throw new ConfigError(`\`wallets[${at}]\` repeats another wallet. List each wallet once.`);
    watched.wallets.add(address);
  }
  if (watched.contracts.size + watched.wallets.size === 0) {
    throw new ConfigError(`\`${owner}\` got neither contracts nor wallets. Set \`contracts\` or \`wallets\`.`);
  }
  return watched;
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw optionError(where, 'an array', value);
}

function addressOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value))
    throw optionError(where, 'an address: 0x and 40 hex digits', value);
  try {
    return addressCodec.fromWire(value) as string;
  } catch (error) {
    throw new ConfigError(`\`${where}\` ${(error as Error).message}`);
  }
}

function abiOf(abi: unknown, where: string): ContractAbi {
  try {
    return contractAbi(abi as readonly unknown[]);
  } catch (error) {
    throw new ConfigError(`${where}: ${(error as Error).message}`);
  }
}

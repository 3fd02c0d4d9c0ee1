import { optionError } from '../internal/check-options.js';
import { type Tag, tagOf } from './finality/level.js';
import { type RpcUrl, rpcUrlOf } from './rpc-url.js';

/** The checked options about nodes. */
export interface NodeOptions {
  readonly urls: readonly RpcUrl[];
  readonly chainId: number | undefined;
  readonly agree: number;
  readonly tag: Tag;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` that names the wrong option. */
export function readNodeOptions(options: {
  readonly rpcUrl: unknown;
  readonly chainId: unknown;
  readonly agree: unknown;
  readonly level: unknown;
}): NodeOptions {
  const { rpcUrl, chainId, agree = 1, level } = options;
  const urls = (Array.isArray(rpcUrl) ? (rpcUrl as readonly unknown[]) : [rpcUrl]).map(rpcUrlOf);
  const tag = tagOf(level);
  if (urls.length === 0) throw optionError('rpcUrl', 'a URL or an array of at least one', rpcUrl);
  if (new Set(urls.map(({ href }) => href)).size < urls.length)
    throw optionError('rpcUrl', 'an array without repeated URLs', rpcUrl);
  if (chainId !== undefined && !isWhole(chainId))
    throw optionError('chainId', 'a whole number above 0, such as 1 for Ethereum', chainId);
  if (!isWhole(agree) || agree > urls.length)
    throw optionError('agree', 'a whole number from 1 to the number of URLs in `rpcUrl`', agree);
  return { urls, chainId, agree, tag };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

import type { KnownContract, KnownContracts } from './known-contracts.js';

/** An integer with its digits in groups of three. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** An integer in units of a token, if its decimals are known. */
export function inUnits(integer: string, decimals: number | undefined): string | undefined {
  if (decimals === undefined || !Number.isInteger(decimals) || decimals < 0 || decimals > 255) return undefined;
  const digits = integer.padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return fraction.replace(/0+$/, '') === '' ? whole : `${whole}.${fraction.replace(/0+$/, '')}`;
}

/** An integer for display: in units of the token if its decimals are known, with grouped digits. */
export function amountText(integer: string, decimals: number | undefined): string {
  const [whole = '', fraction] = (inUnits(integer, decimals) ?? integer).split('.');
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/**
 * Search terms for an amount, such as "4.5 TKN" or "1,000": the integer in the smallest unit of each known token, in
 * decimal and as a 32-byte hex word.
 */
export function amountBytes(text: string, contracts: KnownContracts): string[] {
  const [, number = '', symbol = ''] = /^([\d,]{1,99}(?:\.\d{1,78})?)(?: (\S{1,40}))?$/.exec(text.trim()) ?? [];
  const [whole = '', fraction = ''] = number.replaceAll(',', '').split('.');
  if (whole === '') return [];
  const tokens = [...contracts.values()].filter((token) => isNamed(token, symbol));
  // Without a symbol, it may be an integer with grouped digits.
  const decimals = new Set([...(symbol === '' ? [0] : []), ...tokens.flatMap((token) => token.decimals ?? [])]);
  const integers = [...decimals].flatMap((count) =>
    fraction.length <= count ? [BigInt(whole + fraction.padEnd(count, '0'))] : [],
  );
  return integers.filter((integer) => integer < 2n ** 256n).flatMap((integer) => [String(integer), wordOf(integer)]);
}

const wordOf = (integer: bigint) => integer.toString(16).padStart(64, '0');

const isNamed = ({ symbol = '' }: KnownContract, wanted: string) =>
  wanted === '' || symbol.toLowerCase() === wanted.toLowerCase();

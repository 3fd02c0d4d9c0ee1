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

/** Whether the numbers of an event with this name are amounts of a token, as in ERC-20. */
export const isAmount = (name: string): boolean => name === 'Transfer' || name === 'Approval';

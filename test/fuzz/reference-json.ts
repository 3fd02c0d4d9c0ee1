const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?/g;
const MOST_DIGITS = 400;

/** A decimal as a whole number and a power of ten, without trailing zeros. */
function decimal(number: string): { readonly digits: bigint; readonly power: number } {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let [digits, power] = [BigInt(whole + fraction), Number(exponent) - fraction.length];
  // '-0' and its fractions lose their sign: zero has none here.
  if (whole.startsWith('-') && digits > 0n) digits = -digits;
  if (digits === 0n) return { digits, power: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    power++;
  }
  return { digits, power };
}

/** Whether JSON.parse returns the number that was sent, by arithmetic on whole numbers. */
export function isExact(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  if (number.length > MOST_DIGITS) return false;
  const [sent, read] = [decimal(number), decimal(String(value))];
  return sent.digits === read.digits && sent.power === read.power;
}

/** Numbers in JSON text that JSON.parse accepts. */
export function numbersIn(text: string): string[] {
  return [...text.matchAll(TOKENS)].map(([token]) => token).filter((token) => !token.startsWith('"'));
}

/** A reference for the exact reader: numbers that JSON.parse would round are made strings, by a regular expression. */
export function exactly(text: string): unknown {
  return JSON.parse(text.replace(TOKENS, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`)));
}

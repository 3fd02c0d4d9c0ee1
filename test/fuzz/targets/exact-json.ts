import { isDeepStrictEqual } from 'node:util';
import { needsCare, parseExactJson } from '../../../src/events/exact-json.js';
import { exactly, isExact, numbersIn } from '../reference-json.js';
import { check, type Target } from '../target.js';

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Looks like a whole number once it is read, and was not written as one. */
const isHidden = (number: string) =>
  /[.]|[eE]-/.test(number) && Number.isSafeInteger(Number(number)) && !isExact(number);

/** JSON text. */
export const target: Target = {
  seeds: [
    '{"a":[1,-2.50,3e2,9007199254740993],"b":"\\"1.5","c":0.1e-7}',
    '[1.0,1e1,-0,-0.0,123456789012345678901234567890,1E400,5e-324,"\\\\",""]',
    ' { "x" : 4.35 , "y" : [ ] , "e-1" : 1e-1 } ',
    '1.00000000000000000001',
    '[100000000000000000000e-20,{"1.5":-1}]',
  ],
  dictionary: ['e-', 'E+', '.0', '\\"', '\\\\', '":', ' ', '\t', '-', '00000000', '99999999'],
  run(input) {
    const text = input.toString('utf8');
    // For other text it has no contract.
    const plain = parsed(text);
    if (plain === undefined) return;
    const exact = parseExactJson(text);
    const numbers = numbersIn(text);
    check(isDeepStrictEqual(exact, exactly(text)), 'it is what the reference says');
    if (numbers.every(isExact)) check(isDeepStrictEqual(exact, plain.value), 'exact numbers are those of JSON.parse');
    // The text of a whole body is an array, and its numbers are in an item.
    const body = `[{"a":${text}}]`;
    if (!needsCare([], body)) check(!numbersIn(body).some(isHidden), 'a fraction that was rounded is told');
  },
};

import type { AbiParameter } from 'abitype';
import { elementOf } from './value-text.js';

const WORD = 32;
const isList = ({ type }: AbiParameter) => type.endsWith('[]');

/** Whether the place of a value holds where it is, and not the value itself. */
function isElsewhere(parameter: AbiParameter): boolean {
  if (isList(parameter) || parameter.type === 'string' || parameter.type === 'bytes') return true;
  const element = elementOf(parameter);
  if (element) return isElsewhere(element);
  return 'components' in parameter && parameter.components.some(isElsewhere);
}

/** How many bytes the ABI encoding of a value has, with its place among the others. */
export function encodedSize(parameter: AbiParameter, decoded: unknown): number {
  const place = isElsewhere(parameter) ? WORD : 0;
  const element = elementOf(parameter);
  if (element) {
    const sizes = (decoded as unknown[]).map((each) => encodedSize(element, each));
    return place + (isList(parameter) ? WORD : 0) + sum(sizes);
  }
  if ('components' in parameter) {
    return place + sum(parameter.components.map((component, at) => encodedSize(component, (decoded as unknown[])[at])));
  }
  if (place === 0) return WORD;
  const bytes = (decoded as string).length / 2 - 1;
  return 2 * WORD + WORD * Math.ceil(bytes / WORD);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

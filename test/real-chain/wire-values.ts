import { type AbiParameter, formatUnits, type Hex } from 'viem';
import type { JsonValue } from '../../src/events/types.js';
import type { Random } from '../chaos/random.js';

/** How a service may write an array or a tuple; which one it is, is not documented. */
interface Style {
  /** JSON text, or the JSON value itself. */
  readonly isText: boolean;
  /** Tuples as objects by the names of their components, or as arrays. */
  readonly hasNames: boolean;
  /** As Go's own JSON: integers and booleans bare, with all their digits, and addresses in lower case. */
  readonly isBare: boolean;
}

export function randomStyle(random: Random): Style {
  const isText = random.chance(0.7);
  // A number of a value in JavaScript could not hold all digits.
  return { isText, hasNames: random.chance(0.5), isBare: isText && random.chance(0.5) };
}

/** A value as the service writes it; `decimals` where it converts the amounts of the contract. */
export function wireValue(parameter: AbiParameter, value: unknown, style: Style, decimals?: number): JsonValue {
  const { type } = parameter;
  if (type.endsWith(']') || type === 'tuple') {
    const text = jsonText(parameter, value, style);
    return style.isText ? text : JSON.parse(text);
  }
  if (type === 'string') return goText(value as Hex);
  if (decimals !== undefined && type === 'uint256') return formatUnits(value as bigint, decimals);
  return String(value);
}

function jsonText(parameter: AbiParameter, value: unknown, style: Style): string {
  const [, element] = /^(.*)\[\d*\]$/s.exec(parameter.type) ?? [];
  if (element !== undefined) {
    const elements = (value as unknown[]).map((each) => jsonText({ ...parameter, type: element }, each, style));
    return `[${elements.join(',')}]`;
  }
  if ('components' in parameter) {
    const parts = parameter.components.map((component, at) => {
      const text = jsonText(component, (value as unknown[])[at], style);
      return style.hasNames ? `${JSON.stringify(component.name)}:${text}` : text;
    });
    return style.hasNames ? `{${parts.join(',')}}` : `[${parts.join(',')}]`;
  }
  if (parameter.type === 'string') return JSON.stringify(goText(value as Hex));
  if (!style.isBare) return JSON.stringify(String(value));
  return /int|bool/.test(parameter.type) ? String(value) : JSON.stringify(String(value).toLowerCase());
}

/**
 * Text as Go writes it to JSON: one U+FFFD for each byte that is no UTF-8. A TextDecoder writes one for as many bytes as
 * could have begun a character.
 */
export function goText(bytes: Hex): string {
  const all = Buffer.from(bytes.slice(2), 'hex');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let at = 0; at < all.length; ) {
    const first = all[at] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      text += utf8.decode(all.subarray(at, at + length));
      at += length;
    } catch {
      text += '\uFFFD';
      at++;
    }
  }
  return text;
}

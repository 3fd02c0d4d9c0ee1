import { UnknownToModel } from './errors.js';

/**
 * A message of statements without its literals, so that it is parsed once for all keys, owners and times. `$$ … $$` stays
 * in the template, and so do quoted names.
 */
export interface Message {
  readonly template: string;
  readonly literals: readonly string[];
}

export const STRING = '\ue001';
export const NUMBER = '\ue002';
const LITERAL = /"[^"]*"|\$\$[\s\S]*?\$\$|'((?:[^']|'')*)'|\b(?<![$.])\d+(?:\.\d+)?\b/g;

export function messageOf(text: string): Message {
  const literals: string[] = [];
  const template = text.replace(LITERAL, (found, string: string | undefined) => {
    if (string !== undefined) {
      literals.push(string.includes("''") ? string.replaceAll("''", "'") : string);
      return STRING;
    }
    const [first] = found;
    if (first === '"' || first === '$') return found;
    literals.push(found);
    return NUMBER;
  });
  return { template, literals };
}

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'body' | 'sign' | 'end';
  /** Words in lower case, names without their quotes. */
  readonly text: string;
  /** Which of the literals. */
  readonly literal: number;
}

const TOKEN =
  /\s+|([A-Za-z_]\w*)|"([^"]*)"|(\ue001)|(\ue002)|\$\$([\s\S]*?)\$\$|(::|<=|>=|<>|!=|\|\||[(),.;=<>+\-*/%[\]])|(.)/gy;

export function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  let literals = 0;
  for (const [, word, name, string, number, body, sign, other] of template.matchAll(TOKEN)) {
    if (other !== undefined) throw new UnknownToModel(`the character ${other} in ${template}`);
    if (word !== undefined) tokens.push({ kind: 'word', text: word.toLowerCase(), literal: -1 });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, literal: -1 });
    else if (string !== undefined) tokens.push({ kind: 'string', text: 'a text', literal: literals++ });
    else if (number !== undefined) tokens.push({ kind: 'number', text: 'a number', literal: literals++ });
    else if (body !== undefined) tokens.push({ kind: 'body', text: body, literal: -1 });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, literal: -1 });
  }
  tokens.push({ kind: 'end', text: 'its end', literal: -1 });
  return tokens;
}

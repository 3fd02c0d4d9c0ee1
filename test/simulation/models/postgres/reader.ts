import { UnknownToModel } from './errors.js';
import { type Token, tokensOf } from './text.js';

/** Reads the tokens of a message one by one. */
export class Reader {
  readonly #tokens: readonly Token[];
  readonly #template: string;
  #at = 0;

  constructor(template: string) {
    this.#template = template;
    this.#tokens = tokensOf(template);
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1);
    if (!token) throw this.unknown('an empty text');
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** Whether the next words are these. */
  sees(...words: readonly string[]): boolean {
    return words.every((word, ahead) => {
      const { kind, text } = this.peek(ahead);
      return text === word && (kind === 'word' || kind === 'sign');
    });
  }

  /** Takes the words if they come next. */
  takes(...words: readonly string[]): boolean {
    if (!this.sees(...words)) return false;
    this.#at += words.length;
    return true;
  }

  expect(...words: readonly string[]): void {
    if (!this.takes(...words)) throw this.unknown(`${this.peek().text} instead of ${words.join(' ')}`);
  }

  name(): string {
    const { kind, text } = this.take();
    if (kind !== 'word' && kind !== 'name') throw this.unknown(`${text} as a name`);
    return text;
  }

  /** `( …, … )`, with what `each` reads. */
  list<T>(each: () => T): T[] {
    this.expect('(');
    if (this.takes(')')) return [];
    const all = this.listed(each);
    this.expect(')');
    return all;
  }

  listed<T>(each: () => T): T[] {
    const all = [each()];
    while (this.takes(',')) all.push(each());
    return all;
  }

  unknown(what: string): UnknownToModel {
    return new UnknownToModel(`${what} in «${this.#template.replaceAll(/[\ue001\ue002]/g, '?')}»`);
  }
}

import { hexOf } from './letter-texts.js';
import { textLiteral } from './records.js';
import { jsonLiteral, literal } from './table.js';

/** The texts of one statement. */
export interface Texts {
  /** An expression for a text. */
  of(text: string): string;
  /** The values of the parameters, if there are any. */
  values(): readonly string[] | undefined;
}

/** How the statements get the time in ms, their keys as a JSON array, the owner, and other texts. */
export interface Inputs {
  now(): string;
  keys(keys: readonly string[]): string;
  /** The same for rows of keys and records. */
  rows(rows: readonly unknown[]): string;
  owner(owner: string): string;
  /** The values of the parameters for keys and owner, if there are any. */
  values(keys: readonly unknown[], owner?: string): readonly string[] | undefined;
  /** For a statement without parameters for keys and owner. */
  texts(): Texts;
}

const decoded = (hex: string) => `CAST(X'${hex}' AS TEXT)`;

/** For a file: the clock of the process, because one machine has the file. */
export const OF_FILE: Inputs = {
  now: () => String(Math.floor(Date.now())),
  keys: jsonLiteral,
  rows: (rows) => textLiteral(JSON.stringify(rows), decoded),
  owner: literal,
  values: () => undefined,
  texts: () => ({ of: (text) => decoded(hexOf(text)), values: () => undefined }),
};

/**
 * For a server: its own clock, because the clocks of its clients differ. With parameters, because D1 limits the text of
 * a statement to 100 kB, which the keys of a large delivery exceed.
 */
export const OF_SERVER: Inputs = {
  now: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  keys: () => '?1',
  rows: () => '?1',
  owner: () => '?2',
  values: (keys, owner) => [JSON.stringify(keys), ...(owner === undefined ? [] : [owner])],
  texts() {
    const values: string[] = [];
    return { of: (text) => `?${values.push(text)}`, values: () => values };
  },
};

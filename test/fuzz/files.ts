import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digest } from './messages.js';
import type { Finding } from './run.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The targets, by the names of their files. */
export const TARGETS: readonly string[] = readdirSync(here('targets')).map((name) => basename(name, '.ts'));

export const targetFile = (name: string): string => here(`targets/${name}.ts`);

/** A share of the 200 kB that the corpus of all targets may have. */
const MOST_CORPUS = 18_000;

const corpusFile = (name: string) => here(`corpus/${name}.txt`);

/** The inputs that are kept for a target: one a line, as JSON text with a character a byte. */
export function readCorpus(name: string): Buffer[] {
  const file = corpusFile(name);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => Buffer.from(JSON.parse(line), 'latin1'));
}

/** Keeps inputs for a target, those first that cover most, as far as there is room. */
export function writeCorpus(name: string, inputs: readonly Buffer[]): void {
  let left = MOST_CORPUS;
  const lines = inputs.map(lineOf).filter((line) => {
    const fits = line.length <= left;
    if (fits) left -= line.length;
    return fits;
  });
  writeFileSync(corpusFile(name), lines.join(''));
}

const lineOf = (input: Buffer) =>
  `${JSON.stringify(input.toString('latin1')).replace(/[\x7f-\xff]/g, (byte) => `\\u00${byte.charCodeAt(0).toString(16)}`)}\n`;

/** A finding in a file, which `--replay` runs again. */
export interface Kept {
  readonly target: string;
  readonly message: string;
  readonly input: Buffer;
}

const FINDINGS = here('findings');

export function writeFinding(directory: string, target: string, { message, stack, input }: Finding): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${target}-${digest(input)}.json`);
  const content = { target, message, input: input.toString('latin1'), stack: stack.split('\n').slice(1) };
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return file;
}

export function readFinding(file: string): Kept {
  const { target, message, input } = JSON.parse(readFileSync(file, 'utf8'));
  return { target, message, input: Buffer.from(input, 'latin1') };
}

/** The findings that are kept as tests, since they are fixed. */
export function keptFindings(): Kept[] {
  const names = existsSync(FINDINGS) ? readdirSync(FINDINGS) : [];
  return names.map((name) => readFinding(join(FINDINGS, name)));
}

import { authenticCases } from '../../matrix/cases/authentic.js';
import { handledCases } from '../../matrix/cases/handled.js';
import { bodyCases } from './bodies.js';
import { goneCases } from './gone.js';
import { hostCases } from './host.js';
import { type Host, Lab, type Traits } from './lab.js';
import type { Library } from './library.js';
import { parsingCases } from './parsing.js';
import { partCases } from './parts.js';
import { signatureCases } from './signatures.js';
import { sizeCases } from './sizes.js';

/** One thing that has to hold in every runtime. */
export interface Case {
  readonly name: string;
  /** Whether a runtime can run it at all. (Default: every one.) */
  readonly needs?: (traits: Traits) => boolean;
  readonly run: (lab: Lab) => unknown;
}

export interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
}

const AREAS: readonly (readonly [area: string, cases: readonly Case[]])[] = [
  ['signatures', signatureCases],
  ['parsing', parsingCases],
  ...Object.entries(authenticCases),
  ...Object.entries(handledCases),
  ['bodies', bodyCases],
  ['requests that are gone', goneCases],
  ['sizes', sizeCases],
  ['parts', partCases],
  // Last: it looks at what the others left behind.
  ['host', hostCases],
];

/** The cases for a runtime, in their order. */
export function casesFor(traits: Traits): Case[] {
  return AREAS.flatMap(([area, cases]) =>
    cases.filter(({ needs }) => needs?.(traits) ?? true).map((each) => ({ ...each, name: `${area} > ${each.name}` })),
  );
}

/** Longer than any case takes; so that one that hangs has a name. */
const CASE_MS = 20_000;

/** Runs every case against the library that the runtime loaded, one after the other. */
export async function run(
  lib: Library,
  traits: Traits,
  host: Host,
  report: (result: Result) => unknown,
): Promise<void> {
  for (const { name, run } of casesFor(traits)) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not end within ${CASE_MS} ms`)), CASE_MS);
    });
    const lab = new Lab(lib, host);
    const work = async () => {
      await run(lab);
      await lab.end();
    };
    try {
      await Promise.race([work(), late]);
      await report({ name, ok: true });
    } catch (error) {
      await report({ name, ok: false, error: describe(error) });
    } finally {
      clearTimeout(timer);
    }
  }
}

const describe = (error: unknown) =>
  error instanceof Error || (typeof error === 'object' && error !== null && 'stack' in error)
    ? `${(error as Error).message}\n${(error as Error).stack ?? ''}`
    : String(error);

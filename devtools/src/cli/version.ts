import { readFileSync } from 'node:fs';

/** The version in package.json, which is as far from src/cli as from dist/cli. */
export const version = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

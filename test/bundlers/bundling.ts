import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The name under which the script of a bundle for the web has its exports. */
export const GLOBAL = 'bundled';

/** A way of bundling for one kind of runtime. */
export interface Bundling {
  readonly title: string;
  /** Where the bundle runs: a module or a CommonJS file of Node, or a script that defines {@link GLOBAL}. */
  readonly format: 'mjs' | 'cjs' | 'script';
  /** The extension of the entry. (Default: mjs.) */
  readonly entry?: 'cjs';
  /** Whether the package stays an import of the bundle. */
  readonly external?: boolean;
  bundle(entry: string): Promise<Bundled>;
}

export interface Bundled {
  readonly code: string;
  /** Everything that the bundler has to say. */
  readonly warnings: readonly string[];
}

const onDemand = new URL('package.json', import.meta.url);

/** What the title of a suite says when a package of test/bundlers is missing. */
export const needs = (name: string): string =>
  existsSync(new URL(`node_modules/${name}/package.json`, onDemand))
    ? ''
    : ` (skipped: ${name} is not installed; npm run test:tier frameworks installs it)`;

/** Loads a package of test/bundlers. */
export async function load<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(createRequire(onDemand).resolve(name)).href);
}

/** Where the packages of test/bundlers are installed. */
export const onDemandModules = fileURLToPath(new URL('node_modules', onDemand));

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InlineConfig, Logger, Rollup } from 'vite';
import { type Bundling, GLOBAL, load } from './bundling.js';

type Vite = Pick<typeof import('vite'), 'build' | 'createLogger'>;

/** The Vite that Vitest brings. */
export async function installedVite(): Promise<Vite> {
  const fromVitest = createRequire(createRequire(import.meta.url).resolve('vitest/package.json'));
  return import(pathToFileURL(fromVitest.resolve('vite')).href);
}

export const vite7 = (): Promise<Vite> => load<Vite>('vite7');

/** Vite's builds, for the version that `load` gives. */
export function vite(load: () => Promise<Vite>): readonly Bundling[] {
  const bundling = (title: string, more: Partial<Bundling>, config: (entry: string) => InlineConfig): Bundling => ({
    title,
    format: 'script',
    ...more,
    async bundle(entry) {
      const { build, createLogger } = await load();
      const warnings: string[] = [];
      const warn = (message: string) => void warnings.push(message);
      const customLogger: Logger = { ...createLogger('warn'), warn, warnOnce: warn, error: warn };
      const { build: options, ...others } = config(entry);
      const output = (await build({
        root: dirname(entry),
        configFile: false,
        logLevel: 'warn',
        customLogger,
        build: { write: false, minify: true, ...options },
        ...others,
      })) as Rollup.RollupOutput | Rollup.RollupOutput[];
      const [chunk, ...rest] = [output].flat().flatMap((each) => each.output);
      if (chunk?.type !== 'chunk' || rest.length > 0) throw new Error('The build gave more than one chunk.');
      return { code: chunk.code, warnings };
    },
  });
  // A build for the server gives modules, whatever formats a library asks for, unless the output says otherwise.
  const script = { output: { format: 'iife', name: GLOBAL } } as const;
  return [
    bundling('a library for the browser', {}, (entry) => ({
      build: { lib: { entry, name: GLOBAL, formats: ['iife'] } },
    })),
    bundling('ssr', { format: 'mjs', external: true }, (ssr) => ({ build: { ssr } })),
    bundling('ssr, noExternal', { format: 'mjs' }, (ssr) => ({ build: { ssr }, ssr: { noExternal: true } })),
    bundling('ssr, target webworker', {}, (ssr) => ({
      build: { ssr, rollupOptions: script },
      ssr: { target: 'webworker', noExternal: true },
    })),
  ];
}

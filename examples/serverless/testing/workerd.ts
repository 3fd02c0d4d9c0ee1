// Workers in workerd on one D1 database. It stands here because esbuild and Miniflare are found from here.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { entriesOf, PACKAGES } from '../../../scripts/exports.mjs';

/** What bundlers make of the packages' names for Workers, from the sources. */
const sources = new Map(
  Object.values(PACKAGES).flatMap((url) =>
    entriesOf(url).map(({ specifier, source }) => [specifier, fileURLToPath(new URL(source, url))]),
  ),
);
sources.set('#runtime', fileURLToPath(new URL('src/runtime/edge.ts', PACKAGES.receiver)));

export async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    plugins: [
      {
        name: 'sources',
        setup({ onResolve }) {
          onResolve({ filter: /^(#|event-webhook)/ }, ({ path: name }) => ({
            path: sources.get(name) ?? name,
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

/** Workers of one program, each in its own isolate. */
export interface Workers {
  /** Where a Worker listens by itself. */
  url(name: string): Promise<URL>;
  /** Kills workerd. */
  stop(): Promise<void>;
}

/** Starts Workers of one program on one database, in memory or in a folder. */
export async function startWorkers(names: readonly string[], persist?: string): Promise<Workers> {
  const contents = await bundle(fileURLToPath(new URL('d1-worker.ts', import.meta.url)));
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    ...(persist !== undefined && { d1Persist: persist }),
    workers: names.map((name) => ({
      name,
      modules: [{ type: 'ESModule' as const, path: 'worker.mjs', contents }],
      compatibilityDate: '2026-04-01',
      d1Databases: { DB: 'events' },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    })),
  });
  await miniflare.ready;
  return {
    url: (name) => miniflare.unsafeGetDirectURL(name),
    stop: () => miniflare.dispose(),
  };
}

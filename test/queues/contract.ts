import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { it } from 'vitest';
import { queueContract } from '../../devtools/src/queue-contract/index.js';
import type { TestServer } from '../servers/server.js';
import { useServer } from '../servers/use-server.js';
import { type EngineName, isExample, opener, refuseUnstorable } from './engines.js';

/** An engine that runs `queueContract`. */
export interface Engine {
  readonly start: () => Promise<TestServer>;
  readonly name: EngineName;
  /** Whether it adds no job for a key that it has. */
  readonly deduplicates: boolean;
  /** Makes the server refuse some of many events, including one named `Unstorable`. Resolves to an undo. */
  readonly full: (url: string, queue: string) => Promise<() => Promise<unknown>>;
}

const path = (url: string) => fileURLToPath(new URL(url, import.meta.url));
const WORKER = path('./contract-worker.ts');
let bundle: string | undefined;

/** The program of the worker without TypeScript and in few files: it starts in a third of the time. */
function bundled(): string {
  if (bundle !== undefined) return bundle;
  const outdir = path(`../../node_modules/.cache/queue-worker-${process.pid}`);
  buildSync({
    ...{ entryPoints: [WORKER], outdir, bundle: true, packages: 'external', platform: 'node', format: 'esm' },
    // The program for a cron job has the imports of pg-boss 10, and stays apart.
    ...{ splitting: true, outExtension: { '.js': '.mjs' }, tsconfig: path('../../tsconfig.json') },
  });
  process.once('exit', () => rmSync(outdir, { recursive: true }));
  bundle = `${outdir}/contract-worker.mjs`;
  return bundle;
}

/** The command of the worker that `queueContract` kills. */
export function workerCommand(name: EngineName, ...given: string[]): string[] {
  // The clients of some engines are found from the folder of the examples.
  const program = isExample(name) ? ['--import', 'tsx', WORKER] : [bundled()];
  return [process.execPath, ...program, name, ...given];
}

/** Runs the contract of queues over an engine. Call it in a describe. */
export function engineContract({ start, name, deduplicates, full }: Engine): void {
  const server = useServer(start);
  queueContract(async (queue, settings) => (await opener(name))(server().url, queue, settings), {
    test: it,
    worker: () => workerCommand(name, server().url),
    server,
    full: (queue: string) => full(server().url, queue),
    deduplicates,
  });
}

export const refusing = (table: string) => (url: string) => refuseUnstorable(url, table);

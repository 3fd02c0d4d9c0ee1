import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { queueContract } from '../../devtools/src/queue-contract/index.js';
import type { TestServer } from '../servers/server.js';
import { useServer } from '../servers/use-server.js';
import { type EngineName, opener, refuseUnstorable } from './engines.js';

/** An engine that runs `queueContract`. */
export interface Engine {
  readonly start: () => Promise<TestServer>;
  readonly name: EngineName;
  /** Whether it adds no job for a key that it has. */
  readonly deduplicates: boolean;
  /** Makes the server refuse some of many events, including one named `Unstorable`. Resolves to an undo. */
  readonly full: (url: string, queue: string) => Promise<() => Promise<unknown>>;
}

/** The command of the worker that `queueContract` kills. */
export const workerCommand = (...given: string[]) => {
  const program = fileURLToPath(new URL('./contract-worker.ts', import.meta.url));
  return [process.execPath, '--import', 'tsx', program, ...given];
};

/** Runs the contract of queues over an engine. Call it in a describe. */
export function engineContract({ start, name, deduplicates, full }: Engine): void {
  const server = useServer(start);
  queueContract(async (queue, settings) => (await opener(name))(server().url, queue, settings), {
    test: it,
    server,
    worker: () => workerCommand(name, server().url),
    full: (queue) => full(server().url, queue),
    deduplicates,
  });
}

export const refusing = (table: string) => (url: string) => refuseUnstorable(url, table);

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TransactionalStore } from '../../src/index.js';
import { engines } from './engines.js';

/** What {@link fileStore} gives a handler. */
export interface FileTransaction {
  effect(text: string): void;
}

/** A transactional store: a key and the effect of its handler become one file or none. Keys are file names. */
export function fileStore(directory: string): TransactionalStore<FileTransaction> {
  return {
    async once([key = ''], _step, run) {
      const file = join(directory, key);
      if (existsSync(file)) return new Map([[key, 'duplicate']]);
      const effects: string[] = [];
      await run(new Map([[key, {}]]), { effect: (text) => effects.push(text) });
      await writeFile(file, effects.join('\n'), { flag: 'wx' });
      return new Map([[key, 'handled']]);
    },
  };
}

/** The argument of the process. */
export interface WorkerProcess {
  readonly open: keyof typeof engines;
  readonly url: string;
  readonly queue: string;
  readonly directory: string;
  /** Where it hangs: before the handler has an effect, or after that but before the engine knows. */
  readonly hangs: 'before' | 'after';
}

/** A worker that hangs at a given point, prints that, and waits to be killed. */
async function main({ open, url, queue, directory, hangs }: WorkerProcess): Promise<void> {
  const hang = () => {
    console.log('hanging');
    return new Promise<never>(() => {});
  };
  const { once } = fileStore(directory);
  const store: TransactionalStore<FileTransaction> = {
    async once(...call) {
      const words = await once(...call);
      return hangs === 'after' ? hang() : words;
    },
  };
  const { work } = await engines[open](url, queue, {}, 400);
  await work<FileTransaction>(({ id }, { tx }) => (hangs === 'before' ? hang() : tx.effect(id)), {
    store,
    handlerTimeoutMs: 900,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(JSON.parse(process.argv[2] ?? ''));

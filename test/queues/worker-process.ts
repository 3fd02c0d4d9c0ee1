import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdempotencyStore } from '../../src/index.js';
import { engines } from './engines.js';

/** What a handler of these tests does under {@link fileStore}. */
export interface FileTransaction {
  effect(text: string): void;
}

/** A transactional store of files: the key and the effect of its handler become one file, or none. Keys are file names. */
export function fileStore(directory: string): IdempotencyStore<FileTransaction> {
  return {
    async once(key, run) {
      const file = join(directory, key);
      if (existsSync(file)) return 'duplicate';
      const effects: string[] = [];
      await run({ effect: (text) => effects.push(text) });
      await writeFile(file, effects.join('\n'), { flag: 'wx' });
      return 'handled';
    },
  };
}

/** What the process of {@link main} is told. */
export interface WorkerProcess {
  readonly open: keyof typeof engines;
  readonly url: string;
  readonly queue: string;
  readonly directory: string;
  /** Where it stops for good: before its handler has had an effect, or after, when the engine does not know it yet. */
  readonly hangs: 'before' | 'after';
}

/** A worker that gets to a point, says so, and waits there for its death. */
async function main({ open, url, queue, directory, hangs }: WorkerProcess): Promise<void> {
  const hang = () => {
    console.log('hanging');
    return new Promise<never>(() => {});
  };
  const { once } = fileStore(directory);
  const store: IdempotencyStore<FileTransaction> = {
    async once(key, run) {
      const status = await once(key, run);
      return hangs === 'after' ? hang() : status;
    },
  };
  const { work } = await engines[open](url, queue);
  await work<FileTransaction>(({ id }, { tx }) => (hangs === 'before' ? hang() : tx.effect(id)), {
    store,
    handlerTimeoutMs: 900,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(JSON.parse(process.argv[2] ?? ''));

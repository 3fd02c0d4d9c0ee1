import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NonRetryableError, type OnEvent, type WebhookEvent } from 'event-webhook-receiver';
import type { ContractSettings, ContractTransaction, ContractWorker, OpenQueue } from './options.js';

/** How a handler behaves, by the name of its event. */
export const BEHAVIORS = ['Good', 'Slow', 'Failing', 'Poison', 'Unstorable'] as const;
export const POISON = 'The account is closed.';
export const FAILURE = 'The handler fails.';

/** What a handler got. */
export interface Effect {
  readonly event: WebhookEvent;
  readonly idempotencyKey: string;
  readonly source?: string | undefined;
  readonly timestamp: string;
}

/** A transactional store: a key and the effect of its handler become one file, or none. */
export function fileStore(directory: string): ContractWorker['store'] {
  return {
    async once([key = ''], _step, run) {
      const file = join(directory, createHash('sha256').update(key, 'utf16le').digest('hex'));
      if (existsSync(file)) return new Map([[key, 'duplicate']]);
      const effects: string[] = [];
      await run(new Map([[key, {}]]), { effect: (text) => effects.push(text) });
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, effects.join('\n'));
      // Atomic, and fails if the file exists: two runs at once commit one effect.
      await link(draft, file).finally(() => unlink(draft));
      return new Map([[key, 'handled']]);
    },
  };
}

/** The handler of the suite. */
export const onEvent: OnEvent<ContractTransaction> = async (event, { idempotencyKey, source, timestamp, tx }) => {
  const name = event.event === 'event.emitted' ? event.data.event.name : '';
  if (name === 'Poison') throw new NonRetryableError(POISON);
  if (name === 'Failing') throw new Error(FAILURE);
  if (name === 'Slow') await new Promise((resolve) => setTimeout(resolve, 300));
  tx.effect(JSON.stringify({ event, idempotencyKey, source, timestamp } satisfies Effect));
};

/** What a worker's process is told. */
export interface WorkerProcess {
  readonly name: string;
  readonly settings: ContractSettings;
  readonly directory: string;
  /** Where it hangs until it is killed, if at all: before the effect, or after that but before the engine knows. */
  readonly hangs: 'before' | 'after' | 'never';
}

export const TOLD = 'QUEUE_CONTRACT';
export const HANGS = 'hanging';

/**
 * Runs a worker for {@link queueContract} until it is killed. Call it in a program, and pass the program's command as
 * the option `worker`.
 *
 * @example
 * ```ts
 * import { contractWorker, type OpenQueue } from 'event-webhooks/queue-contract';
 *
 * declare const openQueue: OpenQueue; // opens your queue, as in the tests
 *
 * await contractWorker(openQueue);
 * ```
 */
export async function contractWorker(open: OpenQueue): Promise<void> {
  const { name, settings, directory, hangs }: WorkerProcess = JSON.parse(process.env[TOLD] ?? '{}');
  await mkdir(directory, { recursive: true });
  const hang = () => {
    console.log(HANGS);
    return new Promise<never>(() => {});
  };
  const { once } = fileStore(directory);
  const queue = await open(name, settings);
  await queue.work({
    onEvent: hangs === 'before' ? hang : onEvent,
    store: {
      async once(...call) {
        const words = await once(...call);
        return hangs === 'after' ? hang() : words;
      },
    },
  });
}

import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Logger } from 'event-webhook-receiver';
import { ConfigError, isWebhookError } from 'event-webhook-receiver';
import type { Delivery } from './delivery.js';
import type { Entry } from './entry.js';
import { openJournal } from './journal.js';
import { lockFile } from './lock.js';
import { snapshot } from './snapshot.js';
import { apply, emptyState, KEEP, type State } from './state.js';

/** The state, and what remembers its changes. */
export interface Ledger {
  readonly state: State;
  /** Changes the state once the change is remembered, or throws. Gives the pending deliveries that had to go. */
  commit(entry: Entry): Delivery[];
  close(): void;
}

/** What a file ledger can be told. */
export interface LedgerOptions {
  readonly logger?: Logger | undefined;
  /** The journal is not made smaller before it has so many bytes. (Default: 1 MiB.) */
  readonly compactFrom?: number | undefined;
}

/** A ledger that forgets everything with the process. */
export function memoryLedger(): Ledger {
  const state = emptyState();
  return { state, commit: (entry) => apply(state, entry), close() {} };
}

/**
 * A ledger in a file. What is committed survives the end of the process, however it comes; a power failure may take the
 * last of it. The file grows to about twice of what it has to hold.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the file is in use, not one of ours, or cannot be read or written.
 */
export function fileLedger(path: string, { logger, compactFrom = 1024 * 1024 }: LedgerOptions = {}): Ledger {
  try {
    return openLedger(path, compactFrom, logger);
  } catch (error) {
    if (isWebhookError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`The file of the local service cannot be opened (${code}): ${path}.`);
  }
}

function openLedger(path: string, compactFrom: number, logger: Logger | undefined): Ledger {
  const file = realPath(path);
  const unlock = lockFile(file);
  try {
    const state = emptyState(KEEP);
    const journal = openJournal(file, (entry) => apply(state, entry));
    let limit = Math.max(compactFrom, 2 * journal.bytes);

    function compact(): void {
      try {
        journal.replace(snapshot(state));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        logger?.warn({ code }, 'the journal of the local service cannot be made smaller now');
      }
      limit = Math.max(compactFrom, 2 * journal.bytes);
    }

    return {
      state,
      commit(entry) {
        journal.append(entry);
        const dropped = apply(state, entry);
        if (journal.bytes > limit) compact();
        return dropped;
      },
      close() {
        journal.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** A link stays a link: what it leads to is what is replaced. */
function realPath(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    return join(realpathSync(dirname(full)), basename(full));
  }
}

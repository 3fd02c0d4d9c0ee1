import { WebhookError } from '../errors.js';
import type { Failed, Failure, LetterStore, StoredLetter } from './store.js';

interface Row extends StoredLetter {
  readonly isDead: boolean;
}

/** The functions of a memory store that its letters use. */
interface Keys {
  /** Whether another run has the key, or the key took effect. */
  isTaken(key: string): boolean;
  /** Remembers that a key took effect. */
  remember(key: string): void;
  now(): number;
  /** How often the log of a key that is not final was applied or reverted. */
  transitionsOf(key: string): number | undefined;
}

export function memoryLetters(maxLetters: number, maxFailed: number, { isTaken, remember, now, transitionsOf }: Keys) {
  /** Keys in the order of their last failure. Dead letters move to `dead`. */
  const failed = new Map<string, Row>();
  const dead = new Map<string, Row>();

  async function fail(key: string, failure: Failure): Promise<Failed | undefined> {
    if (failure.isUnknown || isTaken(key)) return undefined;
    if (!dead.has(key) && transitionsOf(key) !== failure.transitions) return undefined;
    const earlier = dead.get(key) ?? failed.get(key);
    const { letter, source, code, message } = failure;
    const firstFailedAt = earlier?.firstFailedAt ?? now();
    const attempts = (earlier?.attempts ?? 0) + 1;
    const isDue = attempts >= failure.afterAttempts && now() - firstFailedAt >= failure.afterMs;
    const isDead = (earlier?.isDead ?? false) || isDue;
    if (isDead && !dead.has(key) && dead.size >= maxLetters) throw new WebhookError('ERR_WEBHOOK_STORE', FULL);
    failed.delete(key);
    const row = { letter, source, code, message, attempts, firstFailedAt, lastFailedAt: now(), isDead };
    if (isDead) dead.set(key, row);
    else {
      if (failed.size >= maxFailed) for (const oldest of failed.keys()) if (failed.delete(oldest)) break;
      // Without the event, which its next delivery brings again.
      failed.set(key, { ...row, letter: '' });
    }
    return { attempts, firstFailedAt, isDead };
  }

  const of = (key: string) => {
    const row = dead.get(key);
    const transitions = transitionsOf(key);
    return row && (transitions === undefined ? row : { ...row, transitions });
  };

  const letters: LetterStore = {
    fail,
    look: async (keys) => new Map(keys.flatMap((key) => entry(key, of(key)))),
    async list({ source, after, limit }) {
      const keys = [...dead.keys()].sort();
      const left = keys.filter((key) => after === undefined || key > after);
      const found = left.filter((key) => source === undefined || dead.get(key)?.source === source).slice(0, limit);
      const page = new Map(found.flatMap((key) => entry(key, of(key))));
      return { letters: page, ...(found.length === limit && { next: found.at(-1) }) };
    },
    async discard(keys) {
      const discarded = keys.filter((key) => dead.has(key) && !isTaken(key));
      for (const key of discarded) settle(key);
      return new Set(discarded);
    },
  };

  /** Forgets the failures of a key, because it took effect or was discarded. */
  function settle(key: string): void {
    forget(key);
    remember(key);
  }

  function forget(key: string): void {
    failed.delete(key);
    dead.delete(key);
  }

  return { letters, settle, forget, isDead: (key: string) => dead.has(key) };
}

function entry(key: string, row: Row | undefined): [string, StoredLetter][] {
  if (row === undefined) return [];
  const { isDead: _, ...letter } = row;
  return [[key, letter]];
}

const FULL =
  'The memory store is full of dead letters (maxLetters), so the event will be redelivered. Retry or discard letters, or use a store that survives a restart.';

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from './clock.js';
import { type Log, soon } from './log.js';
import type { Mode } from './modes.js';
import type { Replica } from './replica.js';

/** How often a handler fails before its event is a dead letter. A process that is killed may count too. */
export const AFTER_ATTEMPTS = 3;
/** How long a retry that was killed holds its letters, and as much again. */
const RETRY_MS = 20_000;

/** What a handler does with an event until it is repaired: one in eight fails. */
export function failingOf(id: string): 'for good' | 'each time' | undefined {
  if (id.endsWith('3')) return 'for good';
  return id.endsWith('4') ? 'each time' : undefined;
}

const fileIn = (marks: string) => join(marks, 'repaired');
export const isRepaired = (marks: string) => existsSync(fileIn(marks));

interface Found {
  readonly expected: readonly string[];
  readonly taken: ReadonlySet<string>;
}

/**
 * Checks that each event is an effect or a dead letter, repairs the handler, and has two operators retry all letters at
 * once, one of whom is killed meanwhile. Where there is one process, which has the keys, it retries them.
 */
export async function retryLetters(
  [one, other = one, third = other]: readonly Replica[],
  { marks, mode, log, find }: { marks: string; mode: Mode; log: Log; find(): Promise<Found> },
): Promise<number> {
  if (!one || !other || !third) throw new Error('There are too few receivers.');
  const list = async () => {
    for (;;) {
      await third.ready();
      const letters = await third.ask('letters?');
      if (letters) return letters;
    }
  };
  const letters = new Set(await list());
  const { expected, taken } = await find();
  const breaks = (what: string, ids: string[]) => {
    if (ids.length > 0) log.broken.push({ what, ids });
  };
  breaks(
    'is neither an effect nor a dead letter',
    expected.filter((id) => !taken.has(id) && !letters.has(id)),
  );
  breaks(
    'fails for ever, and is no dead letter',
    expected.filter((id) => failingOf(id) && !letters.has(id)),
  );
  // A process that was killed after its effect and before its record has failed, as far as a lease store knows.
  if (mode.transactional) {
    breaks(
      'is an effect and a dead letter',
      expected.filter((id) => taken.has(id) && letters.has(id)),
    );
  }
  writeFileSync(fileIn(marks), '');
  await Promise.all([one.ready(), other.ready()]);
  if (one !== other) {
    const retrying = [one.ask('retry!'), other.ask('retry!')];
    await sleep(40);
    one.signal('SIGKILL');
    await Promise.all(retrying);
  }
  await soon(log, RETRY_MS, async () => {
    await other.ready();
    await other.ask('retry!');
    const left = (await list()).length;
    return left > 0 ? `${left} dead letters are left` : undefined;
  });
  return letters.size;
}

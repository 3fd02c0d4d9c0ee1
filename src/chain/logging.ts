import type { Logger } from '../internal/logger.js';
import type { OnUnknown } from './block-events.js';

const toConsole: Logger = {
  debug() {},
  info() {},
  warn: (_, message) => console.warn(message),
  error: (_, message) => console.error(message),
};

/** A logger whose own failure is no matter. */
export function guardedLogger(logger: Logger = toConsole): Logger {
  const guarded = (level: keyof Logger) => (fields: object, message: string) => {
    // This is where errors go: one of its own has nowhere left to go.
    (async () => logger[level](fields, message))().catch(() => {});
  };
  return { debug: guarded('debug'), info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}

/** A contract whose ABI is of another one emits few topics; a hostile one any number. */
const MOST_TOLD = 1000;

/** Tells of each first topic once for each contract that none of its ABI's events fits. */
export function tellUnknownOnce(logger: Logger): OnUnknown {
  const told = new Set<string>();
  return ({ address, label }, { topics, logIndex }) => {
    const topic = topics[0] ?? 'none';
    const key = `${address} ${topic}`;
    if (told.has(key) || told.size >= MOST_TOLD) return;
    told.add(key);
    logger.warn(
      { contract: address, topic, topics: topics.length, logIndex },
      `A log of ${label} fits no event of its ABI and is skipped, as all like it: topic ${topic}.`,
    );
  };
}

import type { Logger } from '../internal/logger.js';
import type { OnUnknown } from './block-events.js';

const toConsole: Logger = {
  debug() {},
  info() {},
  warn: (_, message) => console.warn(message),
  error: (_, message) => console.error(message),
};

/** A logger that never throws. */
export function guardedLogger(logger: Logger = toConsole): Logger {
  const guarded = (level: keyof Logger) => (fields: object, message: string) => {
    // There is nowhere to report the logger's own error.
    (async () => logger[level](fields, message))().catch(() => {});
  };
  return { debug: guarded('debug'), info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}

/** Maximum number of warnings. A wrong ABI causes a few; a hostile contract can cause any number. */
const MOST_TOLD = 1000;

/** Warns of logs that match no event of the ABI, once per contract and first topic. */
export function tellUnknownOnce(logger: Logger): OnUnknown {
  const told = new Set<string>();
  return ({ address, label }, { topics, logIndex }) => {
    const topic = topics[0] ?? 'none';
    const key = `${address} ${topic}`;
    if (told.has(key) || told.size >= MOST_TOLD) return;
    told.add(key);
    logger.warn(
      { contract: address, topic, topics: topics.length, logIndex },
      `A log of ${label} matches no event of its ABI. It and all logs with its topic are skipped: ${topic}.`,
    );
  };
}

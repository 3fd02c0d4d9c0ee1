import type { Logger } from '../receiver/reporter.js';

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

/** A logger with pino's signature; `console` works too. */
export interface Logger {
  debug(fields: object, message: string): unknown;
  info(fields: object, message: string): unknown;
  warn(fields: object, message: string): unknown;
  error(fields: object, message: string): unknown;
}

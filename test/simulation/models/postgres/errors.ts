/** An error that the server answers with, as pg's `DatabaseError` shows it. */
export class PostgresError extends Error {
  override readonly name = 'error';
  readonly severity: 'ERROR' | 'FATAL';
  readonly code: string;

  constructor(code: string, message: string, severity: 'ERROR' | 'FATAL' = 'ERROR') {
    super(message);
    this.code = code;
    this.severity = severity;
  }
}

/** What the model was not built for. It ends the program that asked, so that the model never guesses. */
export class UnknownToModel extends Error {
  constructor(what: string) {
    super(`The Postgres model does not know ${what}.`);
  }
}

export const aborted = () =>
  new PostgresError('25P02', 'current transaction is aborted, commands ignored until end of transaction block');
export const deadlock = () => new PostgresError('40P01', 'deadlock detected');
export const canceled = (why = 'user request') => new PostgresError('57014', `canceling statement due to ${why}`);
export const conflict = (what = 'concurrent update') =>
  new PostgresError('40001', `could not serialize access due to ${what}`);
export const terminated = () =>
  new PostgresError('57P01', 'terminating connection due to administrator command', 'FATAL');

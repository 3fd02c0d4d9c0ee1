/**
 * Ends a command with one line on stderr: what is wrong and what to do. The line may quote a file or a request, because
 * it is escaped when printed, but never a secret or a value where a secret belongs.
 */
export class CommandError extends Error {
  /** Stable; `--json` prints it in `error.code`. */
  readonly code: string;
  readonly exitCode: 1 | 2;

  constructor(code: string, message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line is wrong. */
export const usageError = (message: string) => new CommandError('ERR_CLI_USAGE', message);

/** An input of the command (a file, a recording, a value) cannot be used. */
export const inputError = (message: string) => new CommandError('ERR_CLI_INPUT', message);

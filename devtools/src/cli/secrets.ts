import { CommandError } from './command-error.js';
import type { Context } from './context.js';
import { readInput } from './input-file.js';
import { askHidden } from './terminal/ask-hidden.js';

/** Where secrets are read from, and where warnings about them are printed. */
export type SecretSource = Pick<Context<unknown>, 'env' | 'stdin' | 'output' | 'terminal' | 'signal'>;

const MAX_BYTES = 64 * 1024;
/** A missing value that JavaScript converted to text. No receiver accepts such a secret. */
const STRINGIFIED = /^(?:undefined|null|NaN|\[object .*\])$/;

/**
 * The signing secret, from `--secret-file`, from `WEBHOOK_SECRET`, or typed on the terminal. The output masks the secret
 * from then on.
 *
 * @throws CommandError `ERR_CLI_SECRET` without one. The message never quotes the secret.
 */
export const readSecret = (source: SecretSource & { readonly options: { readonly secretFile?: string | undefined } }) =>
  read(source, source.options.secretFile, 'secret-file', 'WEBHOOK_SECRET');

/** Like `readSecret`, for the API key, from `--api-key-file` or from `WEBHOOK_API_KEY`. */
export const readApiKey = (source: SecretSource & { readonly options: { readonly apiKeyFile?: string | undefined } }) =>
  read(source, source.options.apiKeyFile, 'api-key-file', 'WEBHOOK_API_KEY');

async function read(source: SecretSource, file: string | undefined, option: string, variable: string): Promise<string> {
  if (file !== undefined) return await readSecretFile(source, file, option);
  const value = source.env[variable];
  if (value) return taken(source, value, variable);
  const what = variable === 'WEBHOOK_SECRET' ? 'Signing secret' : 'API key';
  const { terminal, signal } = source;
  if (terminal?.host.isForeground()) {
    const typed = await askHidden(`${what} (${variable} is not set; the input is not shown):`, terminal, signal);
    if (typed !== '') return taken(source, typed, 'the input');
  }
  const state = value === undefined ? 'not set' : 'empty';
  throw new CommandError('ERR_CLI_SECRET', `${what} missing: ${variable} is ${state}. Set it, or use --${option}.`);
}

/**
 * The secret in a file, without its trailing newline.
 *
 * @param option The option that names the file, without dashes.
 * @param onTrimmed Called with a hint if the file ends with a newline. (Default: none.)
 */
export async function readSecretFile(
  source: SecretSource,
  file: string,
  option: string,
  onTrimmed?: (hint: string) => void,
): Promise<string> {
  // The file name is not quoted: some people pass the secret here.
  const complain = (reason: string) =>
    new CommandError('ERR_CLI_SECRET', `Cannot read the file of --${option}: ${reason}.`);
  const { bytes, mode } = await readInput(file, { stdin: source.stdin, maxBytes: MAX_BYTES, complain });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw complain('it is not UTF-8 text');
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw complain('it is empty');
  if (secret !== text)
    onTrimmed?.(
      `The line break at the end of the file of --${option} was ignored. A receiver that reads it must trim it too.`,
    );
  if (mode !== undefined && (mode & 0o077) !== 0 && process.platform !== 'win32') {
    source.output.note(`Other users can read the file of --${option}: run chmod 600 on it.`);
  }
  return taken(source, secret, `the file of --${option}`);
}

function taken({ output }: SecretSource, secret: string, from: string): string {
  if (STRINGIFIED.test(secret)) {
    throw new CommandError(
      'ERR_CLI_SECRET',
      `The value of ${from} is the text "${secret}": the code that sets it has no secret. Set it to the secret.`,
    );
  }
  output.hide(secret);
  if (/^\s|\s$|^(["'`]).*\1$/s.test(secret)) {
    output.note(
      `The value of ${from} has whitespace or quotes around it. Remove them if they are not part of the secret.`,
    );
  }
  return secret;
}

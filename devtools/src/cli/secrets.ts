import type { Readable } from 'node:stream';
import { CommandError } from './command-error.js';
import type { FlagTable } from './flags.js';
import { readInput } from './input-file.js';
import type { Output } from './output.js';

/** The flag of a command that needs the signing secret. */
export const secretFlags = {
  'secret-file': {
    type: 'text',
    placeholder: 'file',
    help: 'File with the signing secret (- for stdin). Without it, WEBHOOK_SECRET in the environment is taken',
  },
} as const satisfies FlagTable;

/** The flag of a command that calls the service. */
export const apiKeyFlags = {
  'api-key-file': {
    type: 'text',
    placeholder: 'file',
    help: 'File with the API key (- for stdin). Without it, WEBHOOK_API_KEY in the environment is taken',
  },
} as const satisfies FlagTable;

/** Where a secret is taken from, and who is told of what is odd about it. */
export interface SecretSource {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly output: Output;
}

const MAX_BYTES = 64 * 1024;

/**
 * The signing secret, from `--secret-file` or from `WEBHOOK_SECRET`. From here on the output does not print it.
 *
 * @throws CommandError `ERR_CLI_SECRET` when there is none. The message quotes nothing of it.
 */
export async function readSecret(
  source: SecretSource & { readonly flags: { readonly 'secret-file': string | undefined } },
): Promise<string> {
  return await one(source, source.flags['secret-file'], { flag: 'secret-file', variable: 'WEBHOOK_SECRET' });
}

/** The API key, from `--api-key-file` or from `WEBHOOK_API_KEY`, in the same way. */
export async function readApiKey(
  source: SecretSource & { readonly flags: { readonly 'api-key-file': string | undefined } },
): Promise<string> {
  return await one(source, source.flags['api-key-file'], { flag: 'api-key-file', variable: 'WEBHOOK_API_KEY' });
}

async function one(
  source: SecretSource,
  file: string | undefined,
  { flag, variable }: Record<'flag' | 'variable', string>,
) {
  if (file !== undefined) return await readSecretFile(source, file, flag);
  const value = source.env[variable];
  if (value) return taken(source, value, variable);
  const what = variable === 'WEBHOOK_SECRET' ? 'signing secret' : 'API key';
  const state = value === undefined ? 'not set' : 'empty';
  throw new CommandError('ERR_CLI_SECRET', `There is no ${what}: ${variable} is ${state}. Set it, or give --${flag}.`);
}

/**
 * The secret in a file, without the newline at its end.
 *
 * @param flag The flag that named the file, without dashes.
 */
export async function readSecretFile(source: SecretSource, file: string, flag: string): Promise<string> {
  // The name is not quoted: some who want to give the secret itself give it here.
  const complain = (reason: string) =>
    new CommandError('ERR_CLI_SECRET', `The file of --${flag} cannot be used: ${reason}.`);
  const { bytes, mode } = await readInput(file, { stdin: source.stdin, maxBytes: MAX_BYTES, complain });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw complain('it is not text in UTF-8');
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw complain('it is empty');
  if (mode !== undefined && (mode & 0o077) !== 0 && process.platform !== 'win32') {
    source.output.note(`Other users may read the file of --${flag}: chmod 600 keeps it yours.`);
  }
  return taken(source, secret, `the file of --${flag}`);
}

function taken({ output }: SecretSource, secret: string, from: string): string {
  output.hide(secret);
  if (secret.trim() !== secret) {
    output.note(
      `There is white space at an end of what is in ${from}. It was kept: take it out if it is not part of the secret.`,
    );
  }
  return secret;
}

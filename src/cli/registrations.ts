import { chmod, readFile, writeFile } from 'node:fs/promises';
import type { LocalService } from '../local/local-service.js';
import { inputError, usageError } from './command-error.js';
import { fileReason } from './input-file.js';
import type { Output } from './output.js';

/** A webhook that is to be there from the start. */
export interface Wanted {
  readonly label: string;
  readonly url: string;
}

/** Reads `--register label=url`. */
export function readWanted(texts: readonly string[], secretOut: string | undefined): Wanted[] {
  const wanted = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || !URL.canParse(text.slice(at + 1))) {
      throw usageError('--register takes LABEL=URL, such as shop=http://localhost:3000/webhooks.');
    }
    return { label: text.slice(0, at), url: text.slice(at + 1) };
  });
  if (secretOut !== undefined && wanted.length !== 1) {
    throw usageError('--secret-out is for the secret of one webhook: give --register once.');
  }
  return wanted;
}

/**
 * Registers a webhook with the local service, unless a state file has it already. Its secret goes to the file, for its
 * owner alone, or is printed, once.
 */
export async function registerWanted(
  { label, url }: Wanted,
  { service, secretOut, output }: { service: LocalService; secretOut: string | undefined; output: Output },
): Promise<void> {
  const known = service.webhooks().find((webhook) => webhook.label === label && webhook.url === url);
  const { id, secret } = known ? { id: known.id, secret: undefined } : register();
  const webhook = { id, label, url };
  if (secretOut !== undefined) {
    await writeSecret(secretOut, service.secretOf(id) ?? '');
    output.result(
      { webhook: { ...webhook, secretFile: secretOut } },
      `Webhook ${label} → ${url}, secret in ${secretOut}`,
    );
  } else if (secret === undefined) {
    output.result({ webhook }, `Webhook ${label} → ${url}, registered before: its secret was shown then`);
  } else {
    output.result({ webhook: { ...webhook, secret } }, `Webhook ${label} → ${url}\n  secret (shown once): ${secret}`);
  }

  function register() {
    try {
      return service.register({ label, url });
    } catch (error) {
      throw inputError(`--register ${label}: ${(error as Error).message}`);
    }
  }
}

/** A secret as an earlier run wrote it. */
const WRITTEN = /^[\da-f]{64}\n?$/;

async function writeSecret(file: string, secret: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before !== '' && !WRITTEN.test(before)) {
    throw inputError(`--secret-out is a file that holds something else than a secret: name another one.`);
  }
  try {
    await writeFile(file, `${secret}\n`, { mode: 0o600 });
    await chmod(file, 0o600);
  } catch (error) {
    throw inputError(`--secret-out cannot be written to: ${fileReason(error)}.`);
  }
}

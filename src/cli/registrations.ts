import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LocalService } from '../local/local-service.js';
import { CommandError, inputError, usageError } from './command-error.js';
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
const LENGTH = 65;

/** Writes a secret to a file that is new, or has one already. No link is followed, and nobody else could read before. */
async function writeSecret(name: string, secret: string): Promise<void> {
  let file: FileHandle | undefined;
  try {
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    file = await open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LENGTH + 1), 0, LENGTH + 1, 0);
    const isOurs = bytesRead === 0 || WRITTEN.test(buffer.toString('latin1', 0, bytesRead));
    if (!isOurs || !(await file.stat()).isFile()) {
      throw inputError('--secret-out is a file that holds something else than a secret: name another one.');
    }
    // Before there is anything to read: it may have been made by somebody else, of whom this fails.
    await file.chmod(0o600);
    await file.truncate(0);
    await file.write(`${secret}\n`, 0);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = (error as NodeJS.ErrnoException).code === 'ELOOP' ? 'it is a link' : fileReason(error);
    throw inputError(`--secret-out cannot be written to: ${reason}.`);
  } finally {
    await file?.close();
  }
}

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { LocalService } from '../service/local-service.js';
import { inputError, usageError } from './command-error.js';
import type { Output } from './output.js';
import { openPrivate, writeReason } from './private-file.js';
import { fullUrl } from './urls.js';

/** A webhook to register at the start. */
export interface Wanted {
  readonly label: string;
  readonly url: string;
}

/** Reads `--register label=url`. */
export function readWanted(texts: readonly string[], secretOut: string | undefined): Wanted[] {
  const wanted = texts.map((text) => {
    const at = text.indexOf('=');
    const url = fullUrl(text.slice(at + 1));
    if (at < 1 || !URL.canParse(url)) {
      throw usageError('--register must be LABEL=URL, such as shop=localhost:3000/webhooks.');
    }
    return { label: text.slice(0, at), url };
  });
  if (secretOut !== undefined && wanted.length !== 1) {
    throw usageError('--secret-out needs exactly one --register.');
  }
  return wanted;
}

/**
 * Registers a webhook with the local service, unless a state file has it already. Its secret is written to
 * the file, which only its owner can read, or printed once.
 */
export async function registerWanted(
  { label, url }: Wanted,
  { service, secretOut, output }: { service: LocalService; secretOut: string | undefined; output: Output },
): Promise<void> {
  // Opened before anything is registered.
  const file = secretOut === undefined ? undefined : await openSecretFile(secretOut);
  try {
    await registerOne();
  } finally {
    await file?.close();
  }

  async function registerOne(): Promise<void> {
    const known = service.webhooks().find((webhook) => webhook.label === label && webhook.url === url);
    const { id, secret } = known ? { id: known.id, secret: undefined } : register();
    const webhook = { id, label, url };
    if (file) {
      await writeSecret(file, service.secretOf(id) as string);
      output.result(
        { webhook: { ...webhook, secretFile: secretOut } },
        `Webhook ${label} → ${url}, secret in ${secretOut}`,
      );
    } else if (secret === undefined) {
      output.result({ webhook }, `Webhook ${label} → ${url}, registered earlier: its secret was printed then`);
    } else {
      output.result({ webhook: { ...webhook, secret } }, `Webhook ${label} → ${url}\n  secret (shown once): ${secret}`);
    }
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

const complain = (reason: string) => inputError(`Cannot write the file of --secret-out: ${reason}.`);

/** Opens a file that is new or contains a secret. Only its owner can read it. */
async function openSecretFile(name: string): Promise<FileHandle> {
  const file = await openPrivate(name, constants.O_RDWR | constants.O_CREAT, complain);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LENGTH + 1), 0, LENGTH + 1, 0);
    if (bytesRead === 0 || WRITTEN.test(buffer.toString('latin1', 0, bytesRead))) return file;
  } catch (error) {
    await file.close();
    throw complain(writeReason(error));
  }
  await file.close();
  throw inputError('The file of --secret-out contains something other than a secret: name another file.');
}

async function writeSecret(file: FileHandle, secret: string): Promise<void> {
  try {
    // Before the secret is written.
    await file.chmod(0o600);
    await file.truncate(0);
    await file.write(`${secret}\n`, 0);
  } catch (error) {
    throw complain(writeReason(error));
  }
}

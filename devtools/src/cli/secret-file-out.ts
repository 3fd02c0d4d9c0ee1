import { type FileHandle, open, rm } from 'node:fs/promises';
import { inputError } from './command-error.js';
import { createReason, writeReason } from './private-file.js';

export interface SecretFile {
  /**
   * Writes the secret of a webhook and a newline, then closes the file.
   *
   * @throws CommandError `ERR_CLI_INPUT` if that fails, for example on a full disk; the message says what to do about
   * the webhook.
   */
  write(secret: string, webhookId: number): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Creates a file for a secret in advance, so that a write error does not lose a secret that is shown only once. Only
 * its owner can read the file. An existing file is not changed.
 *
 * @throws CommandError `ERR_CLI_INPUT` when it cannot be created.
 */
export async function createSecretFile(name: string): Promise<SecretFile> {
  let file: FileHandle;
  try {
    file = await open(name, 'wx', 0o600);
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw inputError(
      `Cannot create ${name}: ${taken ? 'the file exists and may contain a secret' : createReason(error)}.`,
    );
  }
  return {
    async write(secret, webhookId) {
      try {
        await file.writeFile(`${secret}\n`);
        await file.close();
      } catch (error) {
        throw inputError(
          `Webhook ${webhookId} is registered, but its secret could not be written to ${name}: ${writeReason(error)}. Remove it with "webhooks remove ${webhookId}", then register it again.`,
        );
      }
    },
    async discard() {
      await file.close();
      await rm(name, { force: true });
    },
  };
}

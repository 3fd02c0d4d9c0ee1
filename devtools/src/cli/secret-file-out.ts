import { type FileHandle, open, rm } from 'node:fs/promises';
import { inputError } from './command-error.js';
import { writeReason } from './private-file.js';

/** A file that a secret will be written to. */
export interface SecretFile {
  /**
   * Writes the secret of a webhook and a newline, and closes the file.
   *
   * @throws CommandError `ERR_CLI_INPUT` when that fails, a full disk say: it tells what to do about the webhook.
   */
  write(secret: string, webhookId: number): Promise<void>;
  /** Removes the file: there is no secret. */
  discard(): Promise<void>;
}

/**
 * Makes a file for a secret before there is one, so that a secret which is shown once cannot be lost for want of a place.
 * Its owner alone may read it. A file that is there is left alone.
 *
 * @throws CommandError `ERR_CLI_INPUT` when it cannot be made.
 */
export async function createSecretFile(name: string): Promise<SecretFile> {
  let file: FileHandle;
  try {
    file = await open(name, 'wx', 0o600);
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw inputError(
      `${name} cannot be written: ${taken ? 'there is such a file, which may hold a secret' : writeReason(error)}.`,
    );
  }
  return {
    async write(secret, webhookId) {
      try {
        await file.writeFile(`${secret}\n`);
        await file.close();
      } catch (error) {
        throw inputError(
          `Webhook ${webhookId} is registered, but its secret could not be written to ${name}: ${writeReason(error)}. Remove it with "webhooks remove ${webhookId}", and register it again.`,
        );
      }
    },
    async discard() {
      await file.close();
      await rm(name, { force: true });
    },
  };
}

import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { inputError } from './command-error.js';
import { fileReason, openPrivate } from './input-file.js';

/** A file for a secret. Only its owner can read it. */
export interface SecretFile {
  /**
   * Writes a secret and a newline.
   *
   * @param advice What to do if that fails, for example on a full disk.
   */
  write(secret: string, advice?: string): Promise<void>;
  /** Closes the file, and removes it if it is new and was not written. */
  close(): Promise<void>;
}

/** A secret as an earlier run wrote it. */
const WRITTEN = /^[\da-f]{64}\n?$/;
const LENGTH = 65;
const { O_RDWR, O_CREAT, O_EXCL } = constants;

/**
 * Opens a file for a secret in advance, so that a secret that is shown only once is not lost.
 *
 * @param isNew Whether the file must not exist. Otherwise it may contain the secret of an earlier run.
 * @throws CommandError `ERR_CLI_INPUT` when it cannot be opened, or contains something else.
 */
export async function openSecretFile(name: string, isNew: boolean): Promise<SecretFile> {
  const complain = (reason: string) => inputError(`Cannot write the file of --secret-out: ${reason}.`);
  const file = await openPrivate(name, O_RDWR | O_CREAT | (isNew ? O_EXCL : 0), complain);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(LENGTH + 1), 0, LENGTH + 1, 0);
  if (bytesRead > 0 && !WRITTEN.test(buffer.toString('latin1', 0, bytesRead))) {
    await file.close();
    throw inputError('The file of --secret-out contains something other than a secret: name another file.');
  }
  let isWritten = false;
  return {
    async write(secret, advice = '') {
      try {
        // Before the secret is written.
        await file.chmod(0o600);
        await file.truncate(0);
        await file.write(`${secret}\n`, 0);
        isWritten = true;
      } catch (error) {
        throw inputError(`${complain(fileReason(error)).message}${advice && ` ${advice}`}`);
      }
    },
    async close() {
      await file.close();
      if (isNew && !isWritten) await rm(name, { force: true });
    },
  };
}

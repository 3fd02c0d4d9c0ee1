import { type FileHandle, open } from 'node:fs/promises';
import { PRIVATE_FLAGS, whyNotPrivate } from '../service/private-file.js';
import { type Complaint, createReason, fileReason } from './input-file.js';

/**
 * Opens or creates a file that only its owner can read. The mode of an existing file is unchanged: the caller changes
 * it after checking the content.
 *
 * @throws CommandError when it cannot be opened, is a link, has another owner, or is not a regular file.
 */
export async function openPrivate(name: string, flags: number, complain: Complaint): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(name, flags | PRIVATE_FLAGS, 0o600);
  } catch (error) {
    throw complain(createReason(error));
  }
  const reason = await file.stat().then(whyNotPrivate, fileReason);
  if (reason === undefined) return file;
  await file.close();
  throw complain(reason);
}

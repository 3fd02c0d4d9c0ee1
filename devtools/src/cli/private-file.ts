import { type FileHandle, open } from 'node:fs/promises';
import { PRIVATE_FLAGS, whyNotPrivate } from '../service/private-file.js';
import { type Complaint, fileReason } from './input-file.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write it',
  EPERM: 'you may not write it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'no file may be larger here',
  ELOOP: 'it is a link',
  EMLINK: 'it is a link',
  ENXIO: 'it is not a regular file',
};

/** Why a file could not be opened for writing, or written, in words. */
export function writeReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? fileReason(error);
}

/**
 * Opens a file for its owner alone, or makes it. Its mode is still what it was: it is to be changed once the content shows
 * that the file is ours.
 *
 * @throws CommandError when it cannot be opened, or is a link, has another name, another owner, or is not a file.
 */
export async function openPrivate(name: string, flags: number, complain: Complaint): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(name, flags | PRIVATE_FLAGS, 0o600);
  } catch (error) {
    throw complain(writeReason(error));
  }
  const reason = await file.stat().then(whyNotPrivate, writeReason);
  if (reason === undefined) return file;
  await file.close();
  throw complain(reason);
}

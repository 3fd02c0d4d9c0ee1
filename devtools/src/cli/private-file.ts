import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quoted } from '../page/first-run.js';
import { PRIVATE_FLAGS, whyNotPrivate } from '../service/private-file.js';
import { type Complaint, fileReason } from './input-file.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'the file exists and may contain a secret',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file size limit is reached',
  ELOOP: 'it is a symbolic link',
  EMLINK: 'it is a symbolic link',
  ENXIO: 'it is not a regular file',
};

/** Why a file could not be created, in words. */
export function createReason(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return writeReason(error);
  return `its folder does not exist. Create it first: mkdir -p ${quoted(dirname(String(path)))}`;
}

/** Why a file could not be opened or written, in words. */
export function writeReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return REASONS[String(code)] ?? fileReason(error);
}

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
  const reason = await file.stat().then(whyNotPrivate, writeReason);
  if (reason === undefined) return file;
  await file.close();
  throw complain(reason);
}

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { quoted } from '../page/first-run.js';
import { PRIVATE_FLAGS, whyNotPrivate } from '../service/private-file.js';
import { type CommandError, inputError } from './command-error.js';

/** Node's error codes in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'the file exists and may contain a secret',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of its path is not a directory',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a symbolic link',
  EMLINK: 'it is a symbolic link',
  ENXIO: 'it is not a regular file',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file size limit is reached',
};

/** Why a file could not be opened, read or written, in words. */
export function fileReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return REASONS[String(code)] ?? String(code);
}

/** Like {@link fileReason}, for a file that is created: its folder may be missing. */
function createReason(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return fileReason(error);
  return `its folder does not exist. Create it first: mkdir -p ${quoted(dirname(String(path)))}`;
}

/** The bytes of a file or of stdin, and the mode of a regular file. */
export interface Input {
  readonly bytes: Buffer;
  readonly mode?: number | undefined;
}

/** Creates the error for a file that cannot be used. */
type Complaint = (reason: string) => CommandError;

const complaintOf =
  (name: string): Complaint =>
  (reason) =>
    inputError(`Cannot read ${name === '-' ? 'stdin' : name}: ${reason}.`);

/**
 * Reads a whole file, or stdin for `-`, up to a limit.
 *
 * @throws CommandError that `complain` makes, if the file cannot be read or is too large.
 */
export async function readInput(
  name: string,
  { stdin, maxBytes, complain = complaintOf(name) }: { stdin: Readable; maxBytes: number; complain?: Complaint },
): Promise<Input> {
  const tooLong = () => complain(`it is larger than ${maxBytes} bytes`);
  if (name === '-') {
    const bytes = await collect(stdin, maxBytes);
    if (bytes === undefined) throw tooLong();
    return { bytes };
  }
  let file: FileHandle | undefined;
  try {
    file = await open(name, constants.O_RDONLY);
    const stat = await file.stat();
    if (stat.isDirectory()) throw complain('it is a directory');
    const bytes = await collect(file.createReadStream({ autoClose: false }), maxBytes);
    if (bytes === undefined) throw tooLong();
    return stat.isFile() ? { bytes, mode: stat.mode } : { bytes };
  } catch (error) {
    throw (error as Error).name === 'CommandError' ? error : complain(fileReason(error));
  } finally {
    await file?.close();
  }
}

/** The bytes of a stream; undefined beyond the limit. */
async function collect(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > maxBytes) return undefined;
  }
  return Buffer.concat(chunks);
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
  const reason = await file.stat().then(whyNotPrivate, fileReason);
  if (reason === undefined) return file;
  await file.close();
  throw complain(reason);
}

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type CommandError, inputError } from './command-error.js';

/** What Node's codes mean to whoever gave the name of a file. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read by you',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is no directory',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead round in a circle',
};

/** Why a file could not be opened, read or written, in words. */
export function fileReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? String(code ?? 'it cannot be read');
}

/** Bytes of a file or of stdin up to a limit, and what the file's mode is when it is a plain file. */
export interface Input {
  readonly bytes: Buffer;
  readonly mode?: number | undefined;
}

/** What is said of a file that cannot be used. */
export type Complaint = (reason: string) => CommandError;

const complaintOf =
  (name: string): Complaint =>
  (reason) =>
    inputError(`${name === '-' ? 'stdin' : name} cannot be used: ${reason}.`);

/**
 * Reads a file whole, or stdin for `-`, and no more of it than is allowed.
 *
 * @throws CommandError when it cannot be read or is too long, with what `complain` makes of the reason.
 */
export async function readInput(
  name: string,
  { stdin, maxBytes, complain = complaintOf(name) }: { stdin: Readable; maxBytes: number; complain?: Complaint },
): Promise<Input> {
  const tooLong = () => complain(`it has more than ${maxBytes} bytes`);
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

/** The bytes of a stream; undefined when there are more than are allowed. */
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

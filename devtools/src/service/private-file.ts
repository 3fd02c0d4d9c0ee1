import { constants, type Stats } from 'node:fs';

const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Flags for opening a file that only its owner may read: links are not followed, a FIFO does not block. Windows has neither. */
export const PRIVATE_FLAGS = O_NOFOLLOW | O_NONBLOCK;

/**
 * Why a file that was opened cannot be kept private, in words; undefined when it can. Directories are not checked: there
 * is no portable way to tell who may replace a file in them.
 */
export function whyNotPrivate(stat: Stats): string | undefined {
  if (stat.isDirectory()) return 'it is a directory';
  if (!stat.isFile()) return 'it is not a regular file';
  if (stat.nlink > 1) return 'it has another name, a hard link';
  const user = process.geteuid?.();
  return user === undefined || stat.uid === user ? undefined : 'it belongs to another user';
}

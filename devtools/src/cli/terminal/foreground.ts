import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether this process is in the foreground of its terminal. The system stops a background job that changes the
 * terminal or reads keys.
 *
 * @param statFile Where Linux describes the process.
 */
export function isForeground(statFile = '/proc/self/stat'): boolean {
  if (process.platform === 'win32') return true;
  try {
    const stat = readFileSync(statFile, 'latin1');
    // The fields after the name, which may contain any text: state, parent, group, session, terminal, foreground group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    // Other systems mark the foreground with a plus sign.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return stdout.includes('+');
  }
}

import type { Context, Terminal } from '../context.js';
import { readKeys } from './keyboard.js';

const BACKSPACES = ['\u007f', '\b'];

/** Asks for a line on a terminal, and does not show what is typed. Empty if the command is stopped meanwhile. */
export function askHidden(
  question: string,
  { stdin, stdout, host }: Terminal,
  signal: Context<unknown>['signal'],
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    function end(answer: string): void {
      release();
      stdin.off('end', stop);
      signal.removeEventListener('abort', stop);
      stdout.write('\n');
      resolve(answer);
    }
    const stop = () => end('');
    const release = readKeys(stdin, host, {
      keys(keys) {
        for (const key of keys) {
          if (key === 'return') return end(text);
          if (BACKSPACES.includes(key)) text = text.slice(0, -1);
          else if ([...key].length === 1 && key >= ' ') text += key;
        }
      },
      show: () => stdout.write(`${question} `),
      hide() {},
    });
    stdin.on('end', stop);
    signal.addEventListener('abort', stop);
  });
}

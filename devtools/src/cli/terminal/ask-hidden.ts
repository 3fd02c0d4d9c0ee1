import type { Context, Terminal } from '../context.js';

const CTRL_C = '\u0003';
const BACKSPACES = ['\u007f', '\b'];

/** Asks for a line on a terminal, and does not show what is typed. Empty if the command is stopped meanwhile. */
export function askHidden(
  question: string,
  { stdin, stdout, host }: Terminal,
  signal: Context<unknown>['signal'],
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    function end(): void {
      stdin.off('data', onData).off('end', end).pause();
      signal.removeEventListener('abort', stop);
      stdin.setRawMode(false);
      stdout.write('\n');
      resolve(text);
    }
    function stop(): void {
      text = '';
      end();
    }
    function onData(chunk: Buffer | string): void {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') {
          end();
          return;
        }
        if (character === CTRL_C) host.process.kill(host.process.pid, 'SIGINT');
        else if (BACKSPACES.includes(character)) text = text.slice(0, -1);
        else if (character >= ' ') text += character;
      }
    }
    stdout.write(`${question} `);
    stdin.setRawMode(true);
    stdin.on('data', onData).on('end', end).resume();
    signal.addEventListener('abort', stop);
  });
}

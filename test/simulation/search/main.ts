import { clearLine, cursorTo } from 'node:readline';
import { simulate } from './simulate.js';

const { stdout, stderr } = process;

function clear(): void {
  if (!stderr.isTTY) return;
  clearLine(stderr, 0);
  cursorTo(stderr, 0);
}

const output = {
  line(text: string): void {
    clear();
    stdout.write(`${text}\n`);
  },
  progress(text: string): void {
    if (!stderr.isTTY) return;
    clear();
    stderr.write(text);
  },
};

process.exitCode = await simulate(process.argv.slice(2), output, '.simulation');

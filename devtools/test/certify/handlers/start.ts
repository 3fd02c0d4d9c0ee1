import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a handler with a fault as a process, and stops it after `use`. */
export async function withHandler<Value>(
  language: 'js' | 'python',
  env: Readonly<Record<string, string>>,
  use: (origin: string) => Promise<Value>,
): Promise<Value> {
  const [program, file] = language === 'js' ? [process.execPath, 'by-hand.mjs'] : ['python3', 'by_hand.py'];
  const child = spawn(program, [path(file)], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const origin = await new Promise<string>((resolve, reject) => {
      child.once('error', reject).once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    });
    return await use(origin);
  } finally {
    child.kill();
  }
}

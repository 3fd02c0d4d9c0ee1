import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Handlers, as programs and their arguments: with a fault, and the text of a program. */
export const HANDLERS = {
  js: [process.execPath, path('by-hand.mjs')],
  python: ['python3', path('by_hand.py')],
  text: (text: string) => [process.execPath, '--input-type=module', '--eval', text],
} as const;

/** Starts a handler as a process, and stops it after `use`. */
export async function withHandler<Value>(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (origin: string) => Promise<Value>,
): Promise<Value> {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const origin = await new Promise<string>((resolve, reject) => {
      child.once('error', reject).once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    });
    return await use(origin);
  } finally {
    child.kill();
  }
}

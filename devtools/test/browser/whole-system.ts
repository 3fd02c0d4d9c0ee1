import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findAnvil } from '../../../examples/servers/anvil.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The built command line tool with a chain of its own, and a receiver beside it that is registered nowhere yet. */
export interface WholeSystem {
  /** Of the page. */
  readonly address: string;
  /** Where the receiver listens. */
  readonly receiverUrl: string;
  /** What the receiver has handled: the wire values of transfers. */
  readonly received: readonly string[];
  /** Gives the receiver its secret. */
  setSecret(secret: string): void;
  /** Sends a real transaction to the token's contract. Gives its hash. */
  transfer(to: string, amount: bigint): Promise<string>;
  stop(): Promise<void>;
}

/** A program's lines of JSON, one after the other, and those that come later. */
function linesOf(child: ChildProcess) {
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  if (child.stdout === null) throw new Error('The program has no output.');
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const each of waiting) each();
  });
  return {
    lines,
    /** The value under a key, in the first line that has it. */
    first: (key: string) =>
      new Promise<unknown>((resolve, reject) => {
        const look = () => {
          const line = lines.find((each) => key in each);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line[key]);
        };
        waiting.add(look);
        child.once('exit', (code) => reject(new Error(`The program ended with ${code} before it gave its ${key}.`)));
        look();
      }),
  };
}

/** Starts all of it. With `interval`, a transfer is sent every so many seconds. */
export async function startWholeSystem({ interval = 0 }: { interval?: number } = {}): Promise<WholeSystem> {
  const directory = mkdtempSync(join(tmpdir(), 'whole-system-'));
  const secretFile = join(directory, 'secret');
  const ports = ['--port', '0', '--interval', String(interval)];
  const env = { ...process.env, ANVIL: findAnvil() };
  const start = (...args: string[]) =>
    spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const emulate = start('devtools/dist/cli/main.js', 'emulate', '--anvil', '--json', ...ports);
  const receiver = start('devtools/test/browser/receiver.mjs', secretFile);
  const [system, handled] = [linesOf(emulate), linesOf(receiver)];
  const stop = async () => {
    for (const child of [emulate, receiver]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(directory, { recursive: true });
  };
  try {
    const address = (await system.first('page')) as string;
    const chain = (await system.first('chain')) as { rpcUrl: string; contracts: { address: string }[] };
    const call = async (method: string, params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(chain.rpcUrl, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
      if (error) throw new Error(error.message);
      return result;
    };
    const [from] = (await call('eth_accounts', [])) as string[];
    return {
      address,
      receiverUrl: `http://127.0.0.1:${await handled.first('port')}/webhooks`,
      get received() {
        return handled.lines.flatMap(({ value }) => (typeof value === 'string' ? value : []));
      },
      setSecret: (secret) => writeFileSync(secretFile, secret, { mode: 0o600 }),
      async transfer(to, amount) {
        const word = (hex: string) => hex.padStart(64, '0');
        const data = `0xa9059cbb${word(to.slice(2))}${word(amount.toString(16))}`;
        return (await call('eth_sendTransaction', [{ from, to: chain.contracts[0]?.address, data }])) as string;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** A chain of our own on this machine: chain id 31337, with the accounts of anvil's well-known mnemonic. */
export interface LocalAnvil {
  /** Where its JSON-RPC is. */
  readonly url: string;
  readonly port: number;
  /** Ends it; the chain is gone with it. */
  stop(): Promise<void>;
}

/** What ANVIL names, or else `anvil` from the PATH; `undefined` when that does not run. */
export function findAnvil(): string | undefined {
  const command = process.env.ANVIL || 'anvil';
  return spawnSync(command, ['--version']).status === 0 ? command : undefined;
}

/** Has npx install one, and says where it is: npx itself, when it is ended, leaves running what it started. */
function installAnvil(): string {
  const asked = ['-y', '-p', '@foundry-rs/anvil@1.7.1', '-c', 'command -v anvil'];
  const { stdout, stderr } = spawnSync('npx', asked, { encoding: 'utf8' });
  if (stdout?.trim()) return stdout.trim();
  throw new Error(`There is no anvil: install Foundry, or set ANVIL. ${stderr}`);
}

/**
 * Starts an `anvil`, on a free port of the loopback interface. It mines a block for every transaction until it is told
 * otherwise (`evm_setAutomine`), and within a block takes them in the order in which they came.
 *
 * @param port The one to listen on. (Default: a free one.)
 * @param options What else its command line is to have.
 */
export async function startAnvil(port = 0, ...options: readonly string[]): Promise<LocalAnvil> {
  const command = process.env.ANVIL || (findAnvil() ?? installAnvil());
  const args = ['--port', String(port), '--host', '127.0.0.1', '--order', 'fifo', '--color', 'never', ...options];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // Not before whatever the command started has ended too: that holds on to the output.
  const closed = once(child, 'close').catch(() => {});
  // The command of the npm package is a script, which passes this signal on to the anvil that it started; no SIGKILL.
  const kill = () => child.kill('SIGTERM');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  const actualPort = await new Promise<number>((resolve, reject) => {
    let output = '';
    const failed = (error: unknown) => reject(new Error(`anvil did not start. ${output}`, { cause: error }));
    child.once('error', failed).once('exit', failed);
    child.stdout.on('data', function read(chunk: Buffer) {
      output += chunk;
      const [, digits] = /^Listening on \S+:(\d+)$/m.exec(output) ?? [];
      if (digits === undefined) return;
      // What it says from now on is read and thrown away: unread, it would stop the chain.
      child.stdout.removeListener('data', read).resume();
      resolve(Number(digits));
    });
  });
  return {
    url: `http://127.0.0.1:${actualPort}`,
    port: actualPort,
    async stop() {
      kill();
      await closed;
    },
  };
}

import { CommandError } from './command-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use. Stop the process that uses it, or choose another with',
  EACCES: 'permission denied. Choose one from 1024 up with',
  EADDRNOTAVAIL: 'the address is not on this machine. Check --host, or choose another port with',
  ENOTFOUND: 'the address does not exist. Check --host, or choose another port with',
};

/** Starts a server; a port that cannot be used becomes an error that names the option. */
export async function listening<Server>(option: string, port: number, listen: () => Promise<Server>): Promise<Server> {
  try {
    return await listen();
  } catch (error) {
    // The local service wraps the system's error.
    const { code } = Object(Object(error).cause ?? error) as NodeJS.ErrnoException;
    const reason = REASONS[String(code)];
    if (reason === undefined) throw error;
    throw new CommandError('ERR_CLI_PORT', `Cannot listen on port ${port}: ${reason} --${option}.`);
  }
}

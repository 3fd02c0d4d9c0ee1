import { CommandError } from './command-error.js';
import type { FlagTable } from './flags.js';

/** The flags of a command that serves the page. */
export const pageFlags = {
  page: {
    type: 'boolean',
    help: 'Serve the page that shows deliveries as they come; --no-page does not (Default: yes)',
  },
  'page-port': {
    type: 'number',
    placeholder: 'port',
    min: 0,
    max: 65535,
    whole: true,
    default: 0,
    help: 'Port of the page, on 127.0.0.1; 0 for a free one',
  },
} as const satisfies FlagTable;

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there. End that, or give another one with',
  EACCES: 'you may not listen there. Give a port from 1024 up with',
  EADDRNOTAVAIL: 'this machine does not have that address. Check --host, or give another port with',
  ENOTFOUND: 'there is no such address. Check --host, or give another port with',
};

/** Runs what listens on a port; when it cannot, says so in one line that names the flag. */
export async function listening<Server>(flag: string, port: number, listen: () => Promise<Server>): Promise<Server> {
  try {
    return await listen();
  } catch (error) {
    // The local service wraps what the system said.
    const { code } = Object(Object(error).cause ?? error) as NodeJS.ErrnoException;
    const reason = REASONS[code ?? ''];
    if (reason === undefined) throw error;
    throw new CommandError('ERR_CLI_PORT', `Cannot listen on port ${port}: ${reason} --${flag}.`);
  }
}

import { type PageOptions, type ServedPage, servePage } from '../page/serve-page.js';
import { type KeptPage, keptPageFile, readKeptPage, writeKeptPage } from './kept-page.js';
import { listening } from './listening.js';
import type { Output } from './output.js';

/** Where a command serves its page. */
export interface PagePlace {
  readonly pagePort: number;
  /** The file of the service, if it has one. */
  readonly file?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly output: Output;
}

/**
 * Serves the page of a command. With a file or a fixed port, its token is that of the run before, and with a file its port
 * too if it is free: a tab that is open reconnects.
 *
 * @throws CommandError `ERR_CLI_PORT` when the port cannot be used.
 */
export async function startPage(options: PageOptions, { pagePort, file, env, output }: PagePlace): Promise<ServedPage> {
  const name = keptPageFile({ file, pagePort }, env);
  const kept = name === undefined ? undefined : await readKeptPage(name, output);
  const page = await listening('page-port', pagePort, () => serveAgain(options, pagePort, kept, output));
  const now: KeptPage = { token: page.token, port: page.port };
  if (name !== undefined && (kept?.token !== now.token || kept.port !== now.port)) {
    await writeKeptPage(name, now, output);
  }
  return page;
}

async function serveAgain(
  options: PageOptions,
  port: number,
  kept: KeptPage | undefined,
  output: Output,
): Promise<ServedPage> {
  if (kept === undefined) return servePage({ ...options, port });
  const again = { ...options, token: kept.token };
  if (port !== 0) return servePage({ ...again, port });
  try {
    return await servePage({ ...again, port: kept.port });
  } catch {
    output.note(`The page has a new address: port ${kept.port} is in use. Open it again.`);
    return servePage({ ...options, port });
  }
}

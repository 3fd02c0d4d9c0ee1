import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens the page in the browser. */
export interface PageOpener {
  /** Resolves with the reason if no browser was opened, else undefined. */
  open(): Promise<string | undefined>;
  /** Removes the file passed to the browser. */
  close(): Promise<void>;
}

/** The commands that open a file, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd.exe', '/d', '/c', 'start', ''],
};
const DEFAULT_OPENER = ['xdg-open'];

/**
 * Other users can read the arguments of a process, so the address with its token must not be an argument. Instead, the
 * browser opens a file that only its owner can read, and that redirects to the address.
 */
export function createPageOpener(address: string, env: NodeJS.ProcessEnv, platform = process.platform): PageOpener {
  let directory: Promise<string> | undefined;

  async function redirect(): Promise<string> {
    directory ??= mkdtemp(join(tmpdir(), 'event-webhooks-page-'));
    const file = join(await directory, 'page.html');
    const html = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Page</title>`;
    await writeFile(file, html, { mode: 0o600 });
    return file;
  }

  return {
    async open() {
      const hasDisplay = env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER;
      if (OPENERS[platform] === undefined && !hasDisplay) return 'this terminal has no display';
      const [command = '', ...args] = OPENERS[platform] ?? DEFAULT_OPENER;
      const file = await redirect();
      return await new Promise((resolve) => {
        const { WEBHOOK_SECRET: _, WEBHOOK_API_KEY: __, ...rest } = env;
        const child = spawn(command, [...args, file], { env: rest, detached: true, stdio: 'ignore' });
        child.once('error', () => resolve(`${command} is not installed`));
        child.once('exit', (code) => resolve(code === 0 ? undefined : `${command} failed`));
        child.unref();
      });
    },
    async close() {
      if (directory) await rm(await directory, { recursive: true, force: true });
    },
  };
}

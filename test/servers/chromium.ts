import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/** The shell, because windows take twice the time of the pages in them. */
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell';

/** What stands in the title of a suite that needs a browser. */
export const hasChromium = spawnSync(executablePath, ['--version']).status === 0;
export const needsChromium = hasChromium
  ? ''
  : ' (skipped: no Chromium; CHROMIUM names one, or it is /usr/bin/chromium-headless-shell)';

/** Without its own calls home: what a page asks for is all that it asks for. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser without a window. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

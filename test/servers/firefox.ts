import { spawnSync } from 'node:child_process';
import { type Browser, firefox } from 'playwright-core';

const executablePath = process.env.FIREFOX || '/usr/bin/firefox-esr';

export const hasFirefox = spawnSync(executablePath, ['--version']).status === 0;
/** What stands in the title of a suite that needs a browser. */
export const needsFirefox = hasFirefox
  ? ''
  : ' (skipped: no Firefox; FIREFOX names one, or it is /usr/bin/firefox-esr)';

const prefs = {
  // Light. A page in Firefox can not be told its colours one by one.
  'layout.css.prefers-color-scheme.content-override': 1,
  // The clipboard is read without a prompt.
  'dom.events.testing.asyncClipboard': true,
};

interface Session {
  send(method: string, params: object): Promise<object>;
}

/**
 * Starts a Firefox of the system without a window, over WebDriver BiDi. Playwright sends each context a command that an ESR
 * does not know yet, and gives up when it fails: the command is left out.
 */
export async function startFirefox(): Promise<Browser> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: prefs });
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(browser: Browser): { _browserSession: Session } };
  };
  const sessions: Session = Object.getPrototypeOf(connection.toImpl(browser)._browserSession);
  const { send } = sessions;
  sessions.send = function (method, params) {
    return method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send.call(this, method, params);
  };
  return browser;
}

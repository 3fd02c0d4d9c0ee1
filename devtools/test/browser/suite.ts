import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { hasChromium, needsChromium, startChromium } from '../../../test/servers/chromium.js';
import { hasFirefox, needsFirefox, startFirefox } from '../../../test/servers/firefox.js';
import { type FakeSource, startFakeSource } from '../page/fake-source.js';
import { openPage } from './open-page.js';

/** What a test of the page has. */
export interface Ground {
  readonly browser: Browser;
  /** The page over a made-up source of its own. Nothing may have gone wrong in it when the test is over. */
  open(
    source?: { count?: number; hostile?: boolean },
    look?: BrowserContextOptions & { expectLive?: boolean },
  ): Promise<{ source: FakeSource; page: Page; problems: string[] }>;
}

/** The browsers that pages are tried in, each started once for all suites of a file. */
const BROWSERS = {
  Chromium: { has: hasChromium, needs: needsChromium, start: startChromium },
  Firefox: { has: hasFirefox, needs: needsFirefox, start: startFirefox },
};

const started = new Map<string, Promise<Browser>>();
afterAll(() => Promise.all([...started.values()].map(async (browser) => (await browser).close())));

/** A suite of tests in Chromium, skipped and named where there is none. */
export function describePage(title: string, tests: (ground: Ground) => void): void {
  describeIn('Chromium', title, tests);
}

/**
 * A suite of tests in Chromium and in Firefox, for what browsers do differently: streams, storage, the history, the
 * clipboard, files, the keyboard, the focus, layout.
 */
export function describeInBoth(title: string, tests: (ground: Ground) => void): void {
  describeIn('Chromium', title, tests);
  describeIn('Firefox', title, tests);
}

function describeIn(name: keyof typeof BROWSERS, title: string, tests: (ground: Ground) => void): void {
  const { has, needs, start } = BROWSERS[name];
  describe.skipIf(!has)(`${title}, in ${name}${needs}`, { timeout: 60_000 }, () => {
    let browser: Browser;
    beforeAll(async () => {
      const starting = started.get(name) ?? start();
      started.set(name, starting);
      browser = await starting;
    }, 60_000);

    tests({
      get browser() {
        return browser;
      },
      async open({ count = 0, hostile = false } = {}, look = {}) {
        const source = await startFakeSource({ count, hostile });
        const { page, problems, close } = await openPage(browser, source.address, look);
        onTestFinished(async () => {
          await close();
          await source.close();
          expect(problems).toEqual([]);
        });
        return { source, page, problems };
      },
    });
  });
}

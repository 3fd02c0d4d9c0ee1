import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The widths and colours that a page is looked at in. */
export const looks = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
  'phone in the dark': { colorScheme: 'dark', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>;

/** The page in a tab of its own, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, errors that nobody caught, requests to elsewhere, and failed responses. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Opens an address in a context of its own, and waits until the page is connected. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions & { expectLive?: boolean } = {},
): Promise<OpenPage> {
  const { expectLive = true, ...contextOptions } = options;
  const isFirefox = browser.browserType().name() === 'firefox';
  // Firefox is never a phone.
  const ofBrowser = isFirefox ? { isMobile: undefined } : {};
  const context = await browser.newContext({
    ...looks.light,
    ...contextOptions,
    ...ofBrowser,
  } as BrowserContextOptions);
  if (!isFirefox)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(address).origin });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // Only Chromium logs failed requests: `response` is the same everywhere.
    if (message.text().startsWith('Failed to load resource')) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`response: ${response.url()} has a status of ${response.status()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) problems.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    if (/^(?:Clear|Remove) .+\?$/.test(dialog.message())) return void dialog.accept();
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective}`));
  });
  await page.goto(address);
  if (expectLive) await page.getByText('Live', { exact: true }).waitFor();
  return { page, problems, close: () => context.close() };
}

/** What axe-core finds wrong with a page as it is now. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  // Colours on their way from one to another are of neither.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)));
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary}`),
  );
}

/** Fails when anything of the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(wide[0]).toBeLessThanOrEqual(wide[1] as number);
}

/** The rows of the list that exist. */
export const rowsOf = (page: Page) => page.getByRole('grid').locator('.canvas').getByRole('row');

/**
 * The texts of the elements that a selector finds. Firefox ESR crashes when Playwright takes a list of elements, as in
 * `allInnerTexts`.
 */
export const textsOf = (page: Page, selector: string) =>
  page.evaluate((each) => [...document.querySelectorAll(each)].map(({ textContent }) => textContent ?? ''), selector);

/** Opens the drawer, if it is not open. */
export async function openControls(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Controls', exact: true });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

/** Closes the drawer, in which the keyboard is. */
export async function closeControls(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('#drawer').waitFor({ state: 'hidden' });
}

/** Opens every step of the open delivery. */
export async function openSteps(page: Page): Promise<void> {
  for (let closed = page.locator('.step > details:not([open]) > summary'); (await closed.count()) > 0; )
    await closed.first().click();
}

/** Opens the delivery on top of what is seen with all its steps, and gives the panel. */
export async function openWhole(page: Page) {
  const panel = await openFirst(page);
  await openSteps(page);
  return panel;
}

/** Opens the delivery on top of what is seen, and gives the panel. */
export async function openFirst(page: Page) {
  await page.locator('.canvas > .row').first().click();
  const panel = page.getByRole('complementary', { name: /^Delivery / });
  await panel.locator('.answer').waitFor();
  return panel;
}

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoSidewaysScroll, looks, openPage, violationsOf } from '../../devtools/test/browser/open-page.js';
import { hasChromium, needsChromium, startChromium } from '../servers/chromium.js';
import { inProject } from './pages.js';

const hasTools = existsSync(inProject('docs/node_modules/vitepress'));
const dist = inProject('docs/.vitepress/dist');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** What people ask most, and the page that answers it. */
const QUESTIONS = [
  ['why 403', '/develop/explain'],
  ['postgres exactly once', '/stores/postgres'],
  ['re-org finality', '/concepts/reorgs'],
  ['exact amounts bigint decimals', '/events/contract-events'],
] as const;

/** One page of each kind. */
const PAGES = [
  '/',
  '/start/five-minutes',
  '/concepts/delivery',
  '/hosts/',
  '/stores/postgres',
  '/errors',
  '/reference/options',
  '/reference/cli',
  '/reference/api/event-webhook-receiver/express',
];

/** The site as a host serves it that leaves `.html` out of addresses. */
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
  const file = [path, `${path}.html`, `${path}index.html`].find(
    (each) => extname(each) !== '' && existsSync(`${dist}${each}`),
  );
  response.writeHead(file === undefined ? 404 : 200, {
    'Content-Type': TYPES[extname(file ?? '.html')] ?? 'text/plain',
    'Cache-Control': 'max-age=600',
  });
  response.end(readFileSync(`${dist}${file ?? '/404.html'}`));
});

const skip = hasTools ? needsChromium : ' (needs npm ci --prefix docs)';
describe.skipIf(!hasChromium || !hasTools)(`the site${skip}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let origin = '';
  const html = new Map<string, string>();

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [inProject('scripts/docs.mjs'), 'build', '--built']);
    for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('.html') && path !== '404.html') {
        html.set(
          `/${path.slice(0, -'.html'.length).replace(/(^|\/)index$/, '$1')}`,
          readFileSync(`${dist}/${path}`, 'utf8'),
        );
      }
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startChromium();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  it('has no dead link and no dead anchor', () => {
    const ids = new Map(
      [...html].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const dead: string[] = [];
    for (const [path, text] of html) {
      for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), `http://site${path}`);
        if (
          url.host !== 'site' ||
          (url.hash === '' && existsSync(`${dist}${url.pathname}`) && extname(url.pathname) !== '')
        )
          continue;
        const found = ids.get(url.pathname);
        if (!found?.has(decodeURIComponent(url.hash.slice(1))) && (found === undefined || url.hash !== ''))
          dead.push(`${path}: ${href}`);
      }
    }
    expect([...new Set(dead)]).toEqual([]);
  });

  it('explains itself to language models: llms.txt lists every page, llms-full.txt has their programs', () => {
    const list = readFileSync(`${dist}/llms.txt`, 'utf8');
    const whole = readFileSync(`${dist}/llms-full.txt`, 'utf8');
    for (const [, page] of QUESTIONS) expect(list).toContain(page);
    expect(whole).toContain('expressHandler({');
    // Included from an example.
    expect(whole).toContain('ctx.respond = false;');
  });

  it.each(QUESTIONS)('finds the answer to "%s"', async (question, answer) => {
    const { page, problems, close } = await openPage(browser, `${origin}/start/five-minutes`, { expectLive: false });
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click();
    await page.locator('#localsearch-input').fill(question);
    const first = page.locator('#localsearch-list a.result');
    await first.first().waitFor();
    const links = async () => {
      const found = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLAnchorElement>('#localsearch-list a.result')].map(({ pathname }) => pathname),
      );
      return [...new Set(found)].slice(0, 3);
    };
    await expect.poll(links).toContain(answer);
    expect(problems).toEqual([]);
    await close();
  });

  it('shows that the search loads: first its box, then its index', async () => {
    const { page, close } = await openPage(browser, `${origin}/hosts/`, { expectLive: false });
    const held = async (name: string) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(`**/*${name}*.js`, async (route) => {
        await released;
        await route.continue();
      });
      return release;
    };
    const [showBox, showIndex] = [await held('VPLocalSearchBox'), await held('localSearchIndexroot')];
    const button = page.getByRole('button', { name: /search/i }).first();
    await button.click();
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true');
    showBox();
    await page.locator('#localsearch-input').fill('postgres');
    expect(await button.getAttribute('aria-busy')).toBe(null);
    const shown = () =>
      page.locator('.results').evaluate((list) => getComputedStyle(list, '::after').content.replaceAll('"', ''));
    await expect.poll(shown).toBe('Searching…');
    showIndex();
    await page.locator('#localsearch-list a.result').first().waitFor();
    expect(await shown()).toBe('none');
    await close();
  });

  // The looks differ by the frame of a page: a few pages in all of them.
  it.each(Object.keys(looks) as (keyof typeof looks)[])(
    'has no violation, no problem and no sideways scroll: %s',
    async (look) => {
      const paths = look === 'light' ? PAGES : PAGES.slice(0, 2);
      const opened = await openPage(browser, origin, { ...looks[look], expectLive: false });
      for (const path of paths) {
        await opened.page.goto(origin + path);
        expect([path, await violationsOf(opened.page)]).toEqual([path, []]);
        await expectNoSidewaysScroll(opened.page);
        expect([path, opened.problems]).toEqual([path, []]);
      }
      await opened.close();
    },
  );

  it('can be read without JavaScript, every page of it: none is wider than a phone, and names in tables are whole', {
    timeout: 120_000,
  }, async () => {
    const context = await browser.newContext({ ...looks.phone, javaScriptEnabled: false });
    const page = await context.newPage();
    const broken: unknown[] = [];
    for (const path of html.keys()) {
      await page.setViewportSize(looks.phone.viewport);
      await page.goto(origin + path);
      expect(await page.evaluate(seen, path)).toEqual([path, true, 360]);
      for (const width of path.startsWith('/reference/api/') ? [] : [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const names = await page.evaluate(brokenNames);
        if (names.length > 0) broken.push([path, width, names]);
      }
    }
    expect(broken).toEqual([]);
    await page.goto(`${origin}/hosts/express`);
    expect(await page.locator('main a[href*="/stores/"]').first().isVisible()).toBe(true);
    await context.close();
  });
});

/** Whether a page shows its title, and how wide it is. Locators would load their code into each page. */
function seen(path: string) {
  const title = document.querySelector('h1');
  const isShown = title?.checkVisibility({ visibilityProperty: true }) && title.offsetHeight > 0;
  return [path, isShown, document.body.scrollWidth];
}

/** Texts in tables, or the words of each, that begin on one line and end on another. */
function brokenNames() {
  return [...document.querySelectorAll('td code, th code')].flatMap((code) => {
    const isBroken = (name: Element) =>
      new Set(Array.from(name.getClientRects(), ({ top }) => Math.round(top))).size > 1;
    const all = /\s/.test(code.textContent ?? '') ? [...code.children] : [code];
    return all.filter(isBroken).map(({ textContent }) => textContent);
  });
}

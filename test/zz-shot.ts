import { chromium } from 'playwright-core';
import { startFakeSource } from './workbench/fake-source.ts';
const src = await startFakeSource({ count: Number(process.env.COUNT ?? 100), hostile: process.env.HOSTILE === '1' });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] });
const say = (p: any) => { p.on('console', (m: any) => console.log('console', m.type(), m.text())); p.on('pageerror', (e: any) => console.log('pageerror', e)); };
for (const [name, opts] of Object.entries({
  light: { viewport: { width: 1200, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', isMobile: true, hasTouch: true },
} as const)) {
  const page = await (await browser.newContext(opts as any)).newPage(); say(page);
  await page.goto(src.address);
  await page.locator('.canvas > .row').first().waitFor();
  await page.screenshot({ path: `/tmp/s6/shots/${name}-list.png` });
  const n = Number(process.env.N ?? 1);
  await page.locator('.canvas > .row').nth(n).click();
  await page.locator('.answer').waitFor();
  await page.screenshot({ path: `/tmp/s6/shots/${name}-open.png` });
  if (name === 'phone') { await page.keyboard.press('Escape'); await page.click('#toggle-side'); await page.screenshot({ path: `/tmp/s6/shots/phone-side.png` }); }
  await page.close();
}
await browser.close(); await src.close(); process.exit(0);

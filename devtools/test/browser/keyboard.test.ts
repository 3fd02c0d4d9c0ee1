import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowsOf } from './open-page.js';
import { describePage } from './suite.js';

/** What the keyboard is on: its role or tag, and its text or name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const node = document.activeElement;
    const name =
      node?.getAttribute('aria-label') ?? (node as HTMLInputElement | null)?.placeholder ?? node?.textContent;
    return name?.trim() ?? '';
  });

/** Presses Tab until the keyboard is on something of that name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).match(name)) return;
  }
  throw new Error(`Tab leads to no ${name}.`);
}

describePage('the page without a mouse', (ground) => {
  it('skips to the list, where arrows move, Enter opens, Escape closes, and the focus is where it was', async () => {
    const { page } = await ground.open({ count: 300 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the deliveries');
    await page.keyboard.press('Enter');
    const grid = page.getByRole('grid');
    expect(await focused(page)).toBe('Deliveries, newest first');
    const active = async () => {
      const id = await grid.getAttribute('aria-activedescendant');
      return page.locator(`#${id}`).getAttribute('aria-rowindex');
    };
    await page.keyboard.press('ArrowDown');
    expect(await active()).toBe('2');
    await page.keyboard.press('ArrowDown');
    expect(await active()).toBe('3');
    await page.keyboard.press('End');
    expect(await active()).toBe('301');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowUp');
    expect(Number(await active())).toBeLessThan(295);
    await page.keyboard.press('Home');
    expect(await active()).toBe('2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Delivery 300' }).waitFor();
    expect(await focused(page)).toBe('Delivery 300');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Delivery 300' }).waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('Deliveries, newest first');
    expect(await active()).toBe('2');
  });

  it('reaches every control, with a focus that is seen', async () => {
    const { page } = await ground.open({ count: 30 });
    await rowsOf(page).first().waitFor();
    const names = [
      'Send sample',
      'As a table',
      'Remove',
      'Register a webhook',
      'accepted',
      'Clear list',
      'Kind',
      'Contract',
    ];
    for (const name of [...names, /^Search in/, 'Deliveries, newest first']) {
      await tabTo(page, name);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
      expect([name, outline]).toEqual([name, 'solid']);
    }
  });
});

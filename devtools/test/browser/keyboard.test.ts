import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowsOf } from './open-page.js';
import { describeInBoth, describePage } from './suite.js';

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

describeInBoth('the page without a mouse', (ground) => {
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
    const names = ['Send sample', 'Controls', 'Time range', 'accepted', /^Search in/, 'Kind', 'Contract', 'Clear list'];
    for (const name of [...names, 'Deliveries, newest first']) {
      await tabTo(page, name);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
      expect([name, outline]).toEqual([name, 'solid']);
    }
  });

  it('searches with /, and types letters into fields as letters', async () => {
    const { page } = await ground.open({ count: 3 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('/');
    await page.route('**/api/search?*', (route) => route.fulfill({ json: { ids: [], complete: true } }));
    await page.keyboard.type('pj?/r');
    expect(await page.getByRole('searchbox').inputValue()).toBe('pj?/r');
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describePage('keys anywhere on the page', (ground) => {
  it('moves with j and k, in the list and in what is open', async () => {
    const { page } = await ground.open({ count: 30 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.locator('.row.active[aria-rowindex="3"]').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Delivery 29' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Delivery 30' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Delivery 28' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Delivery 28' }).waitFor({ state: 'hidden' });
  });
});

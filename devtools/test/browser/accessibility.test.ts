import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  expectNoSidewaysScroll,
  looks,
  openControls,
  openFirst,
  openSteps,
  rowsOf,
  violationsOf,
} from './open-page.js';
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

describePage('accessibility of the page (axe-core)', (ground) => {
  it.each(Object.entries(looks))('has nothing to say: %s', async (_name, look) => {
    const { page } = await ground.open({ count: 60, hostile: true }, look);
    await rowsOf(page).first().waitFor();
    const check = async (where: string) => {
      expect([where, await violationsOf(page)]).toEqual([where, []]);
      await expectNoSidewaysScroll(page);
    };
    await check('list');
    await page.getByRole('button', { name: /^refused/ }).click();
    const panel = await openFirst(page);
    await check('a refused delivery');
    await openSteps(page);
    await panel.getByRole('button', { name: 'Hex' }).first().click();
    await check('its bytes');
    await page.keyboard.press('Escape');
    await openControls(page);
    await page.getByRole('switch', { name: 'Old timestamp' }).click();
    await page.getByRole('button', { name: 'Turn all off' }).waitFor();
    await check('faults');
    await page.getByRole('button', { name: 'Register a webhook' }).click();
    await check('dialog');
    await page.getByRole('textbox', { name: 'Label' }).fill('till');
    await page.getByLabel('URL of the receiver').fill('http://127.0.0.1:9/');
    await page.keyboard.press('Enter');
    await page.getByText('it is not shown again').waitFor();
    await check('secret');
  });

  it.each(Object.entries(looks))('has nothing to say where there is nothing, or no token: %s', async (_name, look) => {
    const { page, problems, source } = await ground.open({}, look);
    await page.getByText('Waiting for the first delivery.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${source.url}#token=not-the-right-one`);
    await page.getByRole('heading', { name: 'This page needs its token' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await expectNoSidewaysScroll(page);
    expect(problems.splice(0)).toEqual([expect.stringContaining('status of 401')]);
  });
});

describePage('the page with reduced motion', (ground) => {
  it('moves nothing', async () => {
    const { page } = await ground.open({ count: 3 }, { reducedMotion: 'reduce' });
    await openFirst(page);
    const moving = () =>
      page.evaluate(() => {
        const isStill = (node: Element) => {
          const { animationName, scrollBehavior, transitionDuration } = getComputedStyle(node);
          return animationName === 'none' && scrollBehavior === 'auto' && transitionDuration === '0s';
        };
        return [...document.querySelectorAll('*')].filter((node) => !isStill(node)).length;
      });
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
  });
});

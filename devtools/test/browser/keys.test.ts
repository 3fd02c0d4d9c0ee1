import { expect, it } from 'vitest';
import { rowsOf } from './open-page.js';
import { describePage } from './suite.js';

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

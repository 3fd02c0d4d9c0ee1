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

  it('pauses with p and resends with r, and leaves combinations to the browser', async () => {
    const { page, source } = await ground.open({ count: 3 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('Alt+p');
    await page.keyboard.press('r');
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(1);
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await rowsOf(page).first().click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await page.keyboard.press('r');
    await page.getByText('Delivery resent.').waitFor();
    expect(source.feed.get('3')?.attempts.length).toBe(2);
  });

  it('lists the keys with ?', async () => {
    const { page } = await ground.open({ count: 3 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Next delivery').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.locator('.row.active').count()).toBe(0);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });
});

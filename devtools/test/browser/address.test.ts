import { expect, it } from 'vitest';
import { openFirst } from './open-page.js';
import { describeInBoth } from './suite.js';

describeInBoth('the address of the page', (ground) => {
  it('keeps the open delivery and the filters over a reload, without the token', async () => {
    const { page, source } = await ground.open({ count: 30 });
    expect(page.url()).toBe(source.url);
    await page.getByRole('button', { name: /^accepted/ }).click();
    await page.getByLabel('Kind').selectOption('event.emitted');
    await page.locator('[aria-rowindex="4"]').click();
    const heading = page.getByRole('heading', { name: /^Delivery \d/ });
    const name = (await heading.innerText()).trim();
    expect(new URL(page.url()).hash).toMatch(/^#open=\d+&verdict=accepted&kind=event\.emitted$/);
    await page.reload();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^accepted/ }).getAttribute('aria-pressed')).toBe('true');
    await page.locator('.row[aria-selected="true"]').waitFor();
    expect(page.url()).not.toContain('token');
  });

  it('goes back and forward between what was open and filtered', async () => {
    const { page } = await ground.open({ count: 30 });
    await page.getByRole('button', { name: /^accepted/ }).click();
    await page.getByText('24 of 30 deliveries').waitFor();
    await openFirst(page);
    await page.keyboard.press('j');
    const next = page.getByRole('heading', { name: 'Delivery 29' });
    await next.waitFor();
    await page.evaluate(() => history.back());
    await next.waitFor({ state: 'hidden' });
    await page.getByText('24 of 30 deliveries').waitFor();
    await page.evaluate(() => history.back());
    await page.getByText('30 deliveries', { exact: true }).waitFor();
    await page.evaluate(() => history.forward());
    await page.getByText('24 of 30 deliveries').waitFor();
    await page.evaluate(() => history.forward());
    // Moving to the next one added no step to the history.
    await next.waitFor();
  });

  it('opens the same delivery in another tab, which gets the token from the first', async () => {
    const { page, source } = await ground.open({ count: 30 });
    await page.locator('[aria-rowindex="6"]').click();
    await page.getByRole('heading', { name: 'Delivery 26' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'Delivery 26' }).waitFor();
    expect(other.url()).toBe(`${source.url}#open=26`);
  });
});

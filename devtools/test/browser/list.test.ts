import { expect, it } from 'vitest';
import { rowsOf } from './open-page.js';
import { describeInBoth, describePage } from './suite.js';

describeInBoth('the list', (ground) => {
  it('leaves the row that was clicked where it is', async () => {
    const { page } = await ground.open({ count: 300 });
    await page.locator('#insight').waitFor();
    const grid = page.getByRole('grid');
    for (const index of [3, 9]) {
      const row = page.locator(`[aria-rowindex="${index + 2}"]`);
      const place = async () => Math.round((await row.boundingBox())?.y ?? -1);
      await row.waitFor();
      const before = await place();
      await row.click();
      await page.getByRole('heading', { name: `Delivery ${300 - index}` }).waitFor();
      await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(2);
      await page.keyboard.press('Escape');
      await expect.poll(place).toBe(before);
      expect(await grid.evaluate((node) => node.scrollTop)).toBe(0);
    }
  });
});

describePage('the list', (ground) => {
  it('holds while it is paused, counts what waits, and goes on', async () => {
    const { page, source } = await ground.open({ count: 3 });
    await rowsOf(page).nth(2).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    source.deliver();
    source.deliver();
    await page.getByRole('button', { name: 'Paused · 2 new deliveries' }).waitFor();
    expect(await rowsOf(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Resume' }).click();
    await rowsOf(page).nth(4).waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    source.deliver();
    await rowsOf(page).nth(5).waitFor();
    expect(await page.locator('#waiting').count()).toBe(0);
  });

  it('asks before it clears more than twenty deliveries', async () => {
    const { page } = await ground.open({ count: 1353 });
    await page.getByText('1,353 deliveries', { exact: true }).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.getByRole('button', { name: 'Clear list' }).click();
    expect((await asked).message()).toBe('Clear 1,353 deliveries?');
    await page.getByText('Waiting for the first delivery.').waitFor();
  });
});

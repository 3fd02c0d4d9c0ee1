import { expect, it } from 'vitest';
import { expectNoSidewaysScroll, openFirst, openWhole, rowsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

const MANY = 10_000;

describePage('the page with 10 000 deliveries', (ground) => {
  it('keeps rows for those in sight alone, wherever the list is scrolled to', async () => {
    const { page } = await ground.open({ count: MANY });
    await expect.poll(() => page.locator('.total').innerText()).toBe('10,000 deliveries');
    const grid = page.getByRole('grid');
    expect(await grid.getAttribute('aria-rowcount')).toBe('10001');
    const rows = rowsOf(page);
    expect(await rows.first().getAttribute('aria-rowindex')).toBe('2');
    expect(await rows.count()).toBeLessThan(60);
    await grid.evaluate((node) => node.scrollTo(0, node.scrollHeight / 2));
    await page.locator('[aria-rowindex="5000"]').waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await grid.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await page.locator('[aria-rowindex="10001"]').waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await expectNoSidewaysScroll(page);
  });

  it('drops the oldest for new ones, and its memory does not grow', async () => {
    const { page, source } = await ground.open({ count: MANY });
    await expect.poll(() => page.locator('.total').innerText()).toBe('10,000 deliveries');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
      return { bytes: of('JSHeapUsedSize'), nodes: of('Nodes') };
    };
    const before = await heap();
    for (let round = 0; round < 3; round++) {
      let last = '';
      for (let count = 0; count < 5000; count++) last = source.deliver();
      await expect.poll(() => page.locator('.total').innerText()).toBe('10,000 deliveries');
      // The page has taken all of them once the last is on top.
      await page.getByRole('searchbox').fill(`"tx-${last}"`);
      await expect.poll(() => page.locator('.total').innerText()).toBe('1 of 10,000 deliveries');
      await page.getByRole('button', { name: 'Reset filters' }).click();
    }
    const after = await heap();
    expect(before.bytes).toBeLessThan(40e6);
    // 15,000 deliveries that it kept would take far more.
    expect(after.bytes).toBeLessThan(before.bytes * 1.5 + 4e6);
    expect(after.nodes).toBeLessThan(before.nodes * 1.5 + 1000);
  });

  it('does not move what is looked at when new ones come, and shows them when asked', async () => {
    const { page, source } = await ground.open({ count: 200 });
    const grid = page.getByRole('grid');
    await page.locator('#insight').waitFor();
    await grid.evaluate((node) => node.scrollTo(0, 1800));
    const third = page.locator('[aria-rowindex="53"]');
    await third.waitFor();
    const [text, box] = [await third.innerText(), await third.boundingBox()];
    source.deliver();
    source.deliver();
    await page.getByRole('button', { name: '2 new deliveries' }).waitFor();
    expect(await third.innerText()).toBe(text);
    expect(await third.boundingBox()).toEqual(box);
    await page.getByText('202 deliveries').waitFor();
    const newest = source.deliver();
    await page.getByRole('button', { name: '3 new deliveries' }).click();
    expect(await grid.evaluate((node) => node.scrollTop)).toBe(0);
    await page.getByRole('button', { name: /new deliver/ }).waitFor({ state: 'hidden' });
    const panel = await openFirst(page);
    await panel.getByRole('heading', { name: `Delivery ${newest}` }).waitFor();
  });

  it('holds the list while a delivery is open, and goes on when it is closed', async () => {
    const { page, source } = await ground.open({ count: 20 });
    await openFirst(page);
    source.feed.put(recordOf('later'));
    await page.getByRole('button', { name: '1 new delivery' }).waitFor();
    expect(await rowsOf(page).first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '1 new delivery' }).waitFor({ state: 'hidden' });
    expect(await rowsOf(page).count()).toBe(21);
  });

  it('shows a body of a mebibyte and what is cut, as text and as hex, with few elements', async () => {
    const { page, source } = await ground.open();
    const rawBody = new Uint8Array(1_500_000).fill(0x61);
    source.feed.put(recordOf('1', { rawBody }));
    const panel = await openWhole(page);
    await panel.getByText('Only the first 1 MiB of 1.5 MB is shown.').waitFor();
    expect(await panel.getByRole('button', { name: 'Copy body' }).count()).toBe(0);
    await panel.getByRole('button', { name: 'Show all 1,048,576 characters' }).click();
    const text = panel.getByRole('region', { name: 'Body as text' });
    expect(await text.evaluate((node) => node.textContent?.length)).toBe(1_048_576);
    await panel.getByRole('button', { name: 'Hex' }).click();
    const dump = panel.getByRole('region', { name: 'Body as a hex dump' });
    await panel.getByRole('button', { name: /^Show all 5,\d{3},\d{3} characters$/ }).click();
    expect(await dump.evaluate((node) => node.textContent?.slice(-43))).toMatch(/^000ffff8 {2}(61 ){8} a{8}$/);
    expect(await dump.locator('*').count()).toBeLessThan(400);
  });
});

import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openWhole, rowsOf, textsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

describePage('the open delivery', (ground) => {
  it('shows all events of a large delivery, and says how many are left', async () => {
    const { page, source } = await ground.open();
    const items = Array.from({ length: 230 }, (_, n) => sampleEventEmitted({ data: { event: { name: `Event${n}` } } }));
    source.feed.put(recordOf('1', { items }));
    await openWhole(page);
    for (let shown = 25; shown < 230; shown += 25) {
      expect(await textsOf(page, '#detail .items h4')).toHaveLength(shown);
      await page.getByRole('button', { name: `Show more: ${230 - shown} event` }).click();
      await expect.poll(() => page.locator('#detail .item').count()).toBeGreaterThan(shown);
    }
    expect(await textsOf(page, '.item h4')).toEqual(items.map((_, n) => `Event${n}`));
    expect(await page.getByRole('button', { name: /^Show more/ }).count()).toBe(0);
    // The focus goes on with what was asked for.
    expect(await page.evaluate(() => document.activeElement?.querySelector('h4')?.textContent)).toBe('Event225');
  });

  it('groups the digits of amounts, with the symbol, and copies the number as it is', async () => {
    const { page, source } = await ground.open();
    const sample = sampleEventEmitted();
    const log = JSON.parse(sample.data.event.rawFields ?? '');
    const exact = 1_234_567n * 10n ** 18n + 5n * 10n ** 17n;
    const rawFields = JSON.stringify({ ...log, data: `0x${exact.toString(16).padStart(64, '0')}` });
    const [from, to] = sample.data.event.inputs;
    const inputs = [from, to, { name: 'value', value: String(exact), hashed: false, type: 'uint256' }] as never;
    source.feed.put(
      recordOf('1', { items: [sampleEventEmitted({ id: sample.id, data: { event: { inputs, rawFields } } })] }),
    );
    const panel = await openWhole(page);
    const amount = panel.locator('.formatted');
    expect(await amount.innerText()).toBe('1234567.5 TKN');
    expect(await textsOf(page, '.formatted .digits span')).toEqual(['1', '234', '567.5']);
    const gap = (node: Element) => Number.parseFloat(getComputedStyle(node).marginInlineStart);
    expect(await amount.locator('.digits span').nth(1).evaluate(gap)).toBeGreaterThan(1);
    expect(await panel.locator('.value').nth(2).innerText()).toContain('\n1234567500000000000000000');
  });

  it('that a re-org removed says so, and is shown beside the one that applied it', async () => {
    const { page, source } = await ground.open();
    const applied = sampleEventEmitted();
    const removed = structuredClone(applied);
    removed.data.event.rawFields = JSON.stringify({ ...JSON.parse(applied.data.event.rawFields ?? ''), removed: true });
    source.feed.put(recordOf('1', { items: [applied] }));
    source.feed.put(recordOf('2', { items: [removed] }));
    source.feed.put(recordOf('3', { items: [sampleTransactionIncluded()] }));
    await rowsOf(page).nth(1).getByText('removed by a re-org').click();
    await page.getByRole('link', { name: 'show both' }).click();
    await page.getByText('2 of 3 deliveries').waitFor();
    expect(await rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('#2'), expect.stringContaining('#1')]);
  });
});

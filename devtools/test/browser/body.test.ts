import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openFirst } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

describePage('the body of a delivery', (ground) => {
  const coloured = () => {
    const kinds = ['key', 'string', 'number', 'word'];
    return kinds.map((kind) =>
      [...(CSS.highlights.get(`json-${kind}`) ?? [])].map(({ startContainer, startOffset, endOffset }) =>
        startContainer.textContent?.slice(startOffset, endOffset),
      ),
    );
  };

  it('is coloured without another element, and nothing stays coloured of what is gone', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { rawBody: new TextEncoder().encode('[{"a":-1.5,"b":[true,"c\\""]}]') }));
    const panel = await openFirst(page);
    const body = panel.getByRole('region', { name: 'Body as text' });
    await body.scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate(coloured)).toEqual([['"a"', '"b"'], ['"c\\""'], ['-1.5'], ['true']]);
    expect(await body.locator('*').count()).toBe(1);
    await panel.getByRole('button', { name: 'Indented' }).click();
    await expect.poll(() => page.evaluate(coloured)).toEqual([['"a"', '"b"'], ['"c\\""'], ['-1.5'], ['true']]);
    await panel.getByRole('button', { name: 'Hex' }).click();
    await expect.poll(() => page.evaluate(coloured)).toEqual([[], [], [], []]);
  });

  it('is coloured where it is seen, in a body of a megabyte', async () => {
    const { page, source } = await ground.open();
    const text = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ number: n })));
    source.feed.put(recordOf('1', { rawBody: new TextEncoder().encode(text) }));
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: /Show all [\d,]+ characters/ }).click();
    const body = panel.getByRole('region', { name: 'Body as text' });
    await body.evaluate((node) => {
      node.scrollTop = node.scrollHeight;
    });
    const numbers = async () => (await page.evaluate(coloured))[2] as string[];
    await expect.poll(async () => (await numbers()).at(-1)).toBe('59999');
    expect((await numbers()).length).toBeLessThan(12_000);
  });

  it('unfolds strings that are JSON, such as rawFields, in a block of their own', async () => {
    const { page, source } = await ground.open();
    const event = sampleEventEmitted();
    source.feed.put(recordOf('1', { items: [event] }));
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Indented' }).click();
    const block = panel.getByRole('region', { name: 'Body, indented' }).locator('.unfolded');
    const text = await block.innerText();
    expect(text).toMatch(/^\{\n {2}"/);
    expect(JSON.parse(text)).toEqual(JSON.parse(event.data.event.rawFields ?? ''));
  });
});

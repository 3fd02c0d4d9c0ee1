import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startFakeSource } from '../page/fake-source.js';
import { openFirst, rowsOf } from './open-page.js';
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

describeInBoth('the connection of the page', (ground) => {
  it('shows that the connection is lost, reconnects, and adds what it missed without moving the selection', async () => {
    const { page, source } = await ground.open({ count: 3 });
    // The stream ends at once, and the next two attempts fail: the route that was added last goes first.
    const stream = '**/api/stream';
    await page.route(stream, (route) => route.abort(), { times: 2 });
    const ending = { body: '\n', contentType: 'application/x-ndjson' };
    await page.route(stream, (route) => route.fulfill(ending), { times: 1 });
    await page.reload();
    await page.getByText(/^Not connected/).waitFor();
    await openFirst(page);
    const newest = rowsOf(page).first();
    const text = await newest.innerText();
    source.deliver();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('4 deliveries', { exact: true }).waitFor();
    await page.getByRole('button', { name: '1 new delivery' }).waitFor();
    expect(await newest.innerText()).toBe(text);
    expect(await newest.getAttribute('aria-selected')).toBe('true');
  });

  it('tells how to get the address again when the server has another token', async () => {
    const { page, source, problems } = await ground.open({ count: 3 });
    const port = Number(new URL(source.url).port);
    await source.close();
    const next = await startFakeSource({ count: 5, port });
    try {
      await page.getByRole('heading', { name: 'This page needs its token' }).waitFor();
      await page.getByText(`${source.url}#token=…`).waitFor();
      await page.goto(next.address);
      await rowsOf(page).nth(4).waitFor();
      expect(page.url()).toBe(source.url);
      for (const problem of problems.splice(0)) expect(problem).toMatch(/status of 401/);
    } finally {
      await page.close();
      await next.close();
    }
  });
});

/** Answers searches in place of the server, and keeps what was asked. */
async function answer(page: Page, ids: readonly string[], complete = true): Promise<string[]> {
  const asked: string[] = [];
  await page.route('**/api/search?*', (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('text') ?? '');
    return route.fulfill({ json: { ids, complete } });
  });
  return asked;
}

describePage('the search', (ground) => {
  it('shows what the server finds', async () => {
    const { page } = await ground.open({ count: 30 });
    const asked = await answer(page, ['7', '11']);
    const search = page.getByRole('searchbox', { name: 'any text' });
    expect(await search.getAttribute('placeholder')).toBe('Any text');
    await search.pressSequentially('a hash in the body');
    await page.getByText('2 of 30 deliveries').waitFor();
    expect(await rowsOf(page).count()).toBe(2);
    // Asked when typing paused, not for each letter.
    expect(asked.at(-1)).toBe('a hash in the body');
    expect(asked.length).toBeLessThan(5);
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByText('30 deliveries', { exact: true }).waitFor();
  });

  it('says when not everything was searched', async () => {
    const { page, problems } = await ground.open({ count: 3 });
    await answer(page, [], false);
    await page.getByRole('searchbox').fill('needle');
    await page.getByText('more deliveries may match').waitFor();
    await page.unroute('**/api/search?*');
    await page.route('**/api/search?*', (route) => route.fulfill({ status: 500, json: { message: 'Broken.' } }));
    await page.getByRole('searchbox').fill('another');
    await page.getByText('Not searched: the server').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('Not searched: the server').waitFor({ state: 'hidden' });
    expect(problems.splice(0)).not.toEqual([]);
  });
});

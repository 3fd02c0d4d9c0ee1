import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowsOf } from './open-page.js';
import { describePage } from './suite.js';

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

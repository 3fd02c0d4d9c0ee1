import { expect, it } from 'vitest';
import { startFakeSource } from '../page/fake-source.js';
import { openFirst, rowsOf } from './open-page.js';
import { describeInBoth } from './suite.js';

describeInBoth('the connection of the page', (ground) => {
  it('says that it is lost, comes back by itself, and has what it missed without moving what is looked at', async () => {
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

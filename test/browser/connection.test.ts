import { expect, it } from 'vitest';
import { startFakeSource } from '../workbench/fake-source.js';
import { openFirst, rowsOf } from './open-page.js';
import { describePage } from './suite.js';

describePage('the connection of the page', (ground) => {
  it('says that it is lost, comes back by itself, and then has what it missed', async () => {
    const { page, source, problems } = await ground.open({ count: 3 });
    await openFirst(page);
    // The stream ends at once, and the next attempts fail.
    await page.route(
      '**/api/stream',
      (route) => route.fulfill({ body: ': bye\n\n', contentType: 'text/event-stream' }),
      {
        times: 1,
      },
    );
    await page.reload();
    await page.getByText(/^Not connected: again/).waitFor();
    await page.route('**/api/stream', (route) => route.abort(), { times: 2 });
    source.deliver();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('4 deliveries', { exact: true }).waitFor();
    expect(problems.splice(0)).toEqual([]);
  });

  it('tells how to get the address again when the server has another token, and takes a pasted one', async () => {
    const { page, source, problems } = await ground.open({ count: 3 });
    const port = Number(new URL(source.url).port);
    await source.close();
    const next = await startFakeSource({ count: 5, port });
    try {
      await page.getByRole('heading', { name: 'This page needs its token' }).waitFor();
      await page.getByText(`${source.url}#token=…`).waitFor();
      const field = page.getByLabel('Or paste the address, or the token, here');
      await field.fill('no');
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('That holds no token.').waitFor();
      await field.fill(`  ${next.address} `);
      await page.getByRole('button', { name: 'Open' }).click();
      await rowsOf(page).nth(4).waitFor();
      expect(page.url()).toBe(source.url);
      for (const problem of problems.splice(0)) expect(problem).toMatch(/status of 401|ERR_CONNECTION|ERR_INCOMPLETE/);
    } finally {
      await page.close();
      await next.close();
    }
  });

  it('takes a new address that is entered into the tab that has the page open', async () => {
    const { page, source, problems } = await ground.open({ count: 2 }, { expectLive: true });
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.getByRole('heading', { name: 'This page needs its token' }).waitFor();
    await page.goto(source.address);
    await rowsOf(page).nth(1).waitFor();
    expect(page.url()).toBe(source.url);
    expect(problems).toEqual([]);
  });
});

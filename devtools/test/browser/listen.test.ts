import { serviceHeaders } from 'event-webhook-receiver/verify';
import { expect, it, onTestFinished } from 'vitest';
import { createFeed } from '../../src/deliveries/feed.js';
import type { PageActions } from '../../src/page/page-actions.js';
import type { PageState } from '../../src/page/page-state.js';
import { servePage } from '../../src/page/serve-page.js';
import { closeControls, openControls, openFirst, openPage, rowsOf, violationsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

describePage('the page of listen', (ground) => {
  async function open(target?: string, more: PageActions = {}, extra: () => Partial<PageState> = () => ({})) {
    const feed = createFeed();
    const resent: string[] = [];
    const resend = ({ id }: { id: string }) => {
      resent.push(id);
      feed.put(recordOf('2', { target: '/again' }));
      return { id: '2' };
    };
    const served = await servePage({
      feed,
      directory: new URL('../../dist/cli/browser/', import.meta.url),
      headers: serviceHeaders,
      secretOf: () => undefined,
      actions: { ...(target !== undefined && { resend }), ...more },
      state: () => ({
        mode: 'listen',
        target,
        service: { url: 'http://127.0.0.1:4321' },
        ...extra(),
      }),
    });
    const { page, problems, close } = await openPage(ground.browser, served.address);
    onTestFinished(async () => {
      await close();
      await served.close();
      expect(problems).toEqual([]);
    });
    return { page, feed, resent, problems };
  }

  it('has no webhooks, no faults and no samples, and nothing to resend to without a target', async () => {
    const { page, feed } = await open();
    await page.getByText('http://127.0.0.1:4321', { exact: true }).last().waitFor();
    await openControls(page);
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Register|Send/ }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await closeControls(page);
    // A path that a sender has chosen leads nowhere else.
    feed.put(recordOf('1', { target: '//elsewhere.example/hook' }));
    const panel = await openFirst(page);
    expect(await panel.getByRole('button', { name: 'Resend' }).count()).toBe(0);
    await panel.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Command copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toMatch(/ 'http:\/\/127\.0\.0\.1:4321\/\/elsewhere\.example\/hook'$/);
  });

  it('resends to the target, and opens the delivery that this makes', async () => {
    const { page, feed, resent } = await open('http://127.0.0.1:3000/');
    feed.put(recordOf('1'));
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('heading', { name: 'Delivery 2' }).waitFor();
    expect(resent).toEqual(['1']);
    // What was sent is shown, although the list is held while a delivery is open.
    await expect.poll(() => rowsOf(page).first().getAttribute('aria-selected')).toBe('true');
  });

  it('sends a sample where nothing has come yet', async () => {
    const { page, feed } = await open(undefined, {
      sample() {
        feed.put(recordOf('1'));
        return {};
      },
    });
    await page.getByRole('button', { name: 'Send a sample' }).click();
    await page.locator('.row.active', { hasText: '#1' }).waitFor();
  });

  it('forces answers, says so, and ends it', async () => {
    let status: number | undefined = 418;
    const respond = (wanted: number | undefined) => {
      status = wanted;
    };
    const { page } = await open('http://127.0.0.1:3000/', { respond }, () => ({ respond: status }));
    await openControls(page);
    const choice = page.getByLabel('Respond with');
    const banner = page.getByRole('region', { name: 'Forced responses' });
    // The status of --respond, which is not one of the usual ones.
    await banner.getByText('Every authentic delivery gets 418. Nothing is forwarded.').waitFor();
    expect(await choice.inputValue()).toBe('418');
    await choice.selectOption('503 Service Unavailable');
    await banner.getByText('Every authentic delivery gets 503 Service Unavailable.').waitFor();
    expect(status).toBe(503);
    expect(await violationsOf(page)).toEqual([]);
    await banner.getByRole('button', { name: 'Respond as the app' }).click();
    await banner.waitFor({ state: 'detached' });
    expect([status, await choice.inputValue()]).toEqual([undefined, '']);
    await choice.selectOption('500 Internal Server Error');
    await banner.waitFor();
    await choice.selectOption('your app’s response');
    await banner.waitFor({ state: 'detached' });
    expect(status).toBeUndefined();
  });
});

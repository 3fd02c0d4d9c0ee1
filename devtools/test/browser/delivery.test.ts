import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openFirst, rowsOf, textsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

describePage('the open delivery', (ground) => {
  it('shows all events of a large delivery, and says how many are left', async () => {
    const { page, source } = await ground.open();
    const items = Array.from({ length: 230 }, (_, n) => sampleEventEmitted({ data: { event: { name: `Event${n}` } } }));
    source.feed.put(recordOf('1', { items }));
    await openFirst(page);
    for (let shown = 25; shown < 230; shown += 25) {
      expect(await textsOf(page, '#detail .items h4')).toHaveLength(shown);
      await page.locator('#detail button.more', { hasText: `Show more: ${230 - shown} event` }).click();
      await expect.poll(() => page.locator('#detail .item').count()).toBeGreaterThan(shown);
    }
    expect(await textsOf(page, '.item h4')).toEqual(items.map((_, n) => `Event${n}`));
    expect(await page.locator('#detail button.more').count()).toBe(0);
    // The focus goes on with what was asked for.
    expect(await page.evaluate(() => document.activeElement?.querySelector('h4')?.textContent)).toBe('Event225');
  });

  it('says so when further events cannot be loaded, and tries again', async () => {
    const { page, source, problems } = await ground.open();
    source.feed.put(recordOf('1', { items: Array.from({ length: 201 }, () => sampleEventEmitted()) }));
    const panel = await openFirst(page);
    await page.route('**/items?from=200', (route) => route.fulfill({ status: 503, json: { message: 'Too much.' } }), {
      times: 1,
    });
    const more = page.locator('#detail button.more');
    for (let n = 0; n < 8; n++) await more.click();
    await panel.getByRole('alert').getByText('Too much.').waitFor();
    expect(await page.locator('#detail .item').count()).toBe(200);
    await more.click();
    await expect.poll(() => page.locator('#detail .item').count()).toBe(201);
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(problems.splice(0).every((problem) => problem.includes('503'))).toBe(true);
  });

  it('says how many inputs, headers and attempts are left out', async () => {
    const { page, source } = await ground.open();
    const input = (n: number) => ({ name: `in${n}`, value: '1', hashed: false, type: 'uint8' });
    const inputs = Array.from({ length: 130 }, (_, n) => input(n));
    const headers = Array.from({ length: 130 }, (_, n) => [`X-${n}`, 'v'] as const);
    const items = [sampleEventEmitted({ data: { event: { inputs } } })];
    const record = recordOf('1', { items, attempt: { headers } });
    source.feed.put({ ...record, attempts: Array(120).fill(record.attempts[0]) });
    const panel = await openFirst(page);
    await panel.getByText('30 more headers not shown.').waitFor();
    await panel.getByText('20 earlier attempts not shown.').waitFor();
    await panel.getByText('30 more inputs: see the body.').waitFor();
    await panel.getByRole('button', { name: 'Show more: 75 inputs left' }).click();
    expect(await panel.locator('.inputs tbody tr').count()).toBe(50);
  });

  it('says why there are no events', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { rawBody: new TextEncoder().encode('no JSON') }));
    const panel = await openFirst(page);
    await panel.getByText('No events could be read from the body.').waitFor();
    const record = recordOf('1', { items: [sampleEventEmitted(), sampleEventEmitted()] });
    source.feed.put(record);
    await panel.locator('.item').first().waitFor();
    source.feed.put({ ...record, rawBody: new Uint8Array(), bodyDropped: true });
    await panel.getByText('The body with 2 events is no longer kept.').waitFor();
    await panel.getByText('The body is no longer kept: memory was needed for later deliveries.').waitFor();
  });

  it('shows a long fix whole', async () => {
    const { page, source } = await ground.open();
    const fault = `${'very '.repeat(39)}long`;
    source.feed.put(recordOf('1', { attempt: { status: 403, reason: 'x', fault } }));
    const finding = { cause: 'test', what: 'What.', confidence: 'certain', fix: `${'word '.repeat(300)}end` };
    await page.route('**/api/deliveries/1', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), findings: [finding] } });
    });
    const panel = await openFirst(page);
    expect(await panel.locator('.fix').innerText()).toMatch(/word end$/);
    expect(await panel.locator('.finding').getByRole('button').count()).toBe(0);
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
    const panel = await openFirst(page);
    const amount = panel.locator('.formatted');
    expect(await amount.innerText()).toBe('1234567.5 TKN');
    expect(await textsOf(page, '.formatted .digits span')).toEqual(['1', '234', '567']);
    const gap = (node: Element) => Number.parseFloat(getComputedStyle(node).marginInlineStart);
    expect(await amount.locator('.digits span').nth(1).evaluate(gap)).toBeGreaterThan(1);
    expect(await panel.locator('.value').nth(2).innerText()).toContain('\n1234567500000000000000000');
  });

  it('links to the explorer of the chain, without telling it where from', async () => {
    const { page, source } = await ground.open();
    const sample = sampleEventEmitted();
    source.feed.put(recordOf('1', { items: [sample] }));
    const panel = await openFirst(page);
    const links = panel.locator('a.explorer');
    const { transaction, event } = sample.data;
    const urls = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLAnchorElement>('a.explorer')].map(({ href }) => href),
    );
    expect(urls).toContain(`https://explorer.example/address/${event.contract.address}`);
    expect(urls).toContain(`https://explorer.example/tx/${transaction?.txHash}`);
    expect(urls.some((url) => /\/block\/\d+$/.test(url))).toBe(true);
    expect(await links.first().getAttribute('rel')).toBe('noreferrer noopener');
    expect(await links.first().getAttribute('target')).toBe('_blank');
  });

  it('tells when it was sent, with the zone, and how old its timestamp was', async () => {
    const { page, source } = await ground.open();
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const headers = [['X-Service-Timestamp', String(Math.floor(at / 1000) - 2)]] as const;
    source.feed.put(recordOf('1', { attempt: { at, headers } }));
    const panel = await openFirst(page);
    const sent = panel.getByText('signed 2 s before it was sent').locator('..');
    expect(await sent.innerText()).toMatch(/^Sent 2026-01-0\d \d\d:\d\d:05\.678 UTC[+−]\d\d:\d\d, signed 2 s before/);
    expect(await sent.locator('time').getAttribute('title')).toBe('2026-01-02T03:04:05.678Z');
  });

  it('goes to the deliveries above and below', async () => {
    const { page } = await ground.open({ count: 3 });
    await rowsOf(page).nth(2).waitFor();
    const panel = await openFirst(page);
    const [previous, next] = ['Previous', 'Next'].map((name) =>
      panel.getByRole('button', { name: `${name} delivery` }),
    );
    expect(await previous?.isDisabled()).toBe(true);
    await next?.click();
    await page.getByRole('heading', { name: 'Delivery 2' }).waitFor();
    await next?.click();
    await page.getByRole('heading', { name: 'Delivery 1' }).waitFor();
    expect(await next?.isDisabled()).toBe(true);
    await previous?.click();
    await page.getByRole('heading', { name: 'Delivery 2' }).waitFor();
    expect(await textsOf(page, '#detail button.primary')).toEqual(['Resend']);
  });
});

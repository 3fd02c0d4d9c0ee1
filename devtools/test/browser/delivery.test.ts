import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import type { Attempt } from '../../src/deliveries/delivery-record.js';
import { responseOf } from '../deliveries/answers.js';
import { transferOf } from '../deliveries/records.js';
import { openWhole, rowsOf, textsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describeInBoth, describePage } from './suite.js';

describePage('the page', (ground) => {
  it('shows a delivery within the list when it comes, the newest on top', async () => {
    const { page, source } = await ground.open();
    await page.getByText('Waiting for the first delivery.').waitFor();
    source.feed.put(recordOf('1', { items: [sampleEventEmitted({ data: { event: { name: 'Approval' } } })] }));
    source.feed.put(recordOf('2', { items: [sampleTransactionIncluded()], attempt: { status: 403 } }));
    await rowsOf(page).nth(1).waitFor();
    const [newest, oldest] = await rowsOf(page).allInnerTexts();
    expect(newest).toMatch(/#2.*refused.*transaction\.included.*403/s);
    expect(oldest).toMatch(/#1.*accepted.*Approval.*1 TKN · 0xf39F → 0x7099.*200/s);
  });

  it('changes a row in place: from no answer to one, with its attempts', async () => {
    const { page, source } = await ground.open();
    const pending = recordOf('1', { attempt: { status: undefined, durationMs: undefined } });
    source.feed.put(pending);
    await page.locator('.row.pending').waitFor();
    const failed = { ...pending.attempts[0], at: Date.now(), headers: [], status: 500 };
    source.feed.put({ ...pending, attempts: [failed, failed], nextAttemptAt: Date.now() + 40_000 });
    await page.locator('.row.failed').waitFor();
    expect(await rowsOf(page).innerText()).toMatch(/try 3 in \d+ s/);
    expect(await rowsOf(page).count()).toBe(1);
  });

  it('opens a delivery with verdict, events, attempts, headers and body', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { attempt: { status: undefined, code: 'ECONNREFUSED', reason: 'Nobody listens.' } }));
    const panel = await openWhole(page);
    const text = await panel.innerText();
    expect(text).toMatch(/failed.*No response in 12 ms\..*ECONNREFUSED.*Nobody listens\./s);
    const amount = panel.getByRole('row', { name: /^value uint256/ });
    expect(await amount.innerText()).toMatch(/uint256\s+1 TKN\s+1000000000000000000/);
    expect(await panel.getByRole('row', { name: /X-Service-Signature [0-9a-f]{64}/ }).count()).toBe(1);
    const body = panel.getByRole('region', { name: 'Body, indented' });
    expect(await body.innerText()).toMatch(/^\[\n {2}\{\n {4}"id": "/);
  });

  it('follows the delivery that is open: a retry shows without opening it again', async () => {
    const { page, source } = await ground.open();
    const record = recordOf('1', { attempt: { status: 503 } });
    source.feed.put(record);
    const panel = await openWhole(page);
    await panel.locator('.answer').getByText('Answered 503').waitFor();
    source.feed.put({ ...record, attempts: [...record.attempts, { at: Date.now(), headers: [], status: 200 }] });
    await panel.locator('.answer').getByText('Answered 200').waitFor();
    expect(await panel.locator('.attempts tbody tr').count()).toBe(2);
  });
});

describeInBoth('an open delivery', (ground) => {
  it('copies a short address whole, the body as it came, and a curl command with quotes that hold', async () => {
    const { page, source } = await ground.open();
    const items = [sampleEventEmitted({ data: { event: { contract: { label: "it's" } } } })];
    source.feed.put(recordOf('1', { items }));
    const panel = await openWhole(page);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    const address = panel.getByRole('button', { name: /Copy 0x5FbDB2315678afecb367f032d93F642f64180aa3/i }).first();
    expect(await address.innerText()).toMatch(/^0x5FbD…0aa3/);
    expect(await address.getAttribute('title')).toContain('0x5FbDB2315678afecb367f032d93F642f64180aa3');
    await address.click();
    await page.getByText('Address copied.').waitFor();
    expect(await clipboard()).toBe('0x5FbDB2315678afecb367f032d93F642f64180aa3');
    await panel.getByRole('button', { name: 'Copy body' }).click();
    await page.getByText('Body copied.').waitFor();
    expect(JSON.parse(await clipboard())).toEqual(items);
    await panel.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Command copied.').waitFor();
    const command = await clipboard();
    expect(command).toMatch(/^curl -g -i -X POST \\\n {2}-H 'Content-Type: application\/json'/);
    expect(command).toContain("it'\\''s");
    expect(command).toMatch(/'http:\/\/127\.0\.0\.1:3000\/webhooks'$/);
  });
});

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
    const exact = 1_234_567n * 10n ** 18n + 5n * 10n ** 17n;
    const items = [transferOf(String(exact), `0x${exact.toString(16).padStart(64, '0')}`)];
    source.feed.put(recordOf('1', { items }));
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

describePage('the response of the application', (ground) => {
  it('is shown with its status line, headers and body, indented where it is JSON', async () => {
    const { page, source } = await ground.open();
    const response = responseOf('{"error":"Mount the webhook route before express.json()"}', [
      ['X-Powered-By', 'Express'],
    ]);
    source.feed.put(recordOf('1', { attempt: { status: 500, durationMs: 3, response } }));
    const panel = await openWhole(page);
    expect(await panel.locator('.step .about').last().innerText()).toBe('500 Internal Server Error in 3 ms · 57 B');
    const body = panel.getByRole('region', { name: 'Response, indented' });
    expect(await body.innerText()).toBe('{\n  "error": "Mount the webhook route before express.json()"\n}');
    await panel.getByText('1 header', { exact: true }).click();
    await panel.getByRole('row', { name: 'X-Powered-By Express' }).waitFor();
  });

  it('says what is cut, empty, not text, not kept or not there', async () => {
    const { page, source } = await ground.open();
    const show = async (attempt: Partial<Attempt>) => {
      source.feed.put(recordOf('1', { attempt }));
      await page.locator('#detail[aria-busy=false]').waitFor();
      return panel.locator('.step', { has: page.getByRole('heading', { name: 'Answered' }) });
    };
    source.feed.put(recordOf('1', { attempt: { status: 204, response: responseOf('') } }));
    const panel = await openWhole(page);
    await panel.getByText('204 No Content in 12 ms · no body').waitFor();
    const cut = await show({
      status: 500,
      response: { ...responseOf('x'.repeat(16_000)), bytes: 90_000, truncated: true },
    });
    await cut.getByText('Only the first 16.0 kB of at least 90.0 kB are kept.').waitFor();
    expect(await cut.getByRole('button', { name: 'Copy response' }).count()).toBe(0);
    const odd = await show({ status: 500, response: responseOf(new Uint8Array([0xff, 0xfe, 0x41])) });
    await odd.getByText('Not UTF-8').waitFor();
    await odd.getByRole('button', { name: 'Hex' }).click();
    await odd.getByText('ff fe 41').waitFor();
    await (await show({ status: 500 })).getByText('Its headers and body are not kept.').waitFor();
    await (await show({ status: undefined, code: 'ECONNREFUSED' })).getByText('no response in 12 ms').waitFor();
    await (await show({ status: undefined, durationMs: undefined })).getByText('no answer yet').waitFor();
  });

  it('is text, whatever it contains', async () => {
    const { page, source } = await ground.open();
    const html = '<html><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"><h1>\u202eError</h1>';
    const response = responseOf(html, [
      ['Content-Type', 'text/html'],
      ['<b>', '<script>window.pwned = 1</script>'],
    ]);
    source.feed.put(recordOf('1', { attempt: { status: 500, response } }));
    const panel = await openWhole(page);
    expect(await panel.getByRole('region', { name: 'Response as text' }).innerText()).toContain(
      '<h1>⟦U+202E⟧Error</h1>',
    );
    await panel.getByText('2 headers', { exact: true }).click();
    await panel.getByRole('row', { name: '<b> <script>window.pwned = 1</script>' }).waitFor();
    expect(
      await page.evaluate(() => [Object.hasOwn(window, 'pwned'), document.querySelectorAll('b, img').length]),
    ).toEqual([false, 0]);
  });
});

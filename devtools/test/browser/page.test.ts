import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openWhole, rowsOf } from './open-page.js';
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

import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { expectNoSidewaysScroll, looks, openWhole, textsOf, violationsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const SUMMARY = 'Compare with what your app received';

describePage('what was signed and what was received', (ground) => {
  async function openWith(rawBody: Uint8Array, more = {}) {
    const { page, source, problems } = await ground.open();
    source.feed.put(recordOf('1', { rawBody, ...more }));
    const panel = await openWhole(page);
    return { page, panel, problems };
  }

  it('are compared as JSON where only that differs', async () => {
    const body = JSON.stringify([sampleEventEmitted()]);
    const { page, panel } = await openWith(bytes(body));
    await panel.getByText(SUMMARY).click();
    const field = panel.getByLabel('The body that your app verified, as text');
    const compare = panel.getByRole('button', { name: 'Compare text' });
    expect(await compare.isDisabled()).toBe(true);
    await field.fill(JSON.stringify(JSON.parse(body), null, 1));
    await compare.click();
    await panel.getByText('The same JSON, but other bytes.').waitFor();
    await panel.getByText('Different: white space.').waitFor();
    await field.fill(body.replace('"Transfer"', '"Approval"'));
    await compare.click();
    await panel.getByRole('row', { name: /^\[0\]\.data\.event\.name/ }).waitFor();
    expect(await textsOf(page, '.difference > .diff td')).toEqual(['− "Transfer"', '+ "Approval"']);
    await field.fill(body);
    await compare.click();
    await panel.getByText('No difference: these are the bytes that were signed.').waitFor();
  });

  it('are compared as bytes with offsets, hex and text otherwise, also from a file', async () => {
    const { page, panel, problems } = await openWith(bytes('["é", 1]'));
    await panel.getByText(SUMMARY).click();
    const file = (buffer: Buffer) => ({ name: 'body.bin', mimeType: 'application/octet-stream', buffer });
    const choose = panel.getByLabel('or a file, which keeps every byte:');
    await choose.setInputFiles(file(Buffer.from('["é", 1]', 'latin1')));
    const row = panel.locator('.diff tbody tr');
    await row.waitFor();
    expect(await row.innerText()).toMatch(/^2\s+− \["é", 1\]\s+2 bytes: c3 a9\s+\+ \["�", 1\]\s+1 byte: e9/);
    await choose.setInputFiles(file(Buffer.alloc(2 * 1024 * 1024 + 1)));
    await panel.getByRole('alert').getByText('More than 2 MiB cannot be compared.').waitFor();
    await page.route('**/api/compare', (route) =>
      route.fulfill({ status: 503, json: { message: 'It took too long.' } }),
    );
    await choose.setInputFiles(file(Buffer.from('x')));
    await panel.getByRole('alert').getByText('It took too long.').waitFor();
    expect(problems.splice(0)).toEqual([expect.stringContaining('503')]);
  });

  it('is text, whatever it contains', async () => {
    const { page, panel } = await openWith(bytes('{"<b>k</b>":1}'));
    await panel.getByText(SUMMARY).click();
    await panel.getByLabel('The body that your app verified').fill('{"<img src=x onerror=pwned=1>\u202e":1}');
    await panel.getByRole('button', { name: 'Compare text' }).click();
    await panel.locator('.diff').first().waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('b, img').length)).toBe(0);
    expect(await panel.locator('.difference').innerText()).toContain('⟦U+202E⟧');
  });
});

describePage('the difference on a phone', (ground) => {
  it.each(['phone', 'dark'] as const)('fits, and axe has nothing to say: %s', async (look) => {
    const { page, source } = await ground.open({}, looks[look]);
    source.feed.put(
      recordOf('1', { rawBody: bytes(`["${'x'.repeat(300)}",1`), signedBody: bytes(`["${'y'.repeat(300)}"`) }),
    );
    const panel = await openWhole(page);
    await panel.locator('.diff').waitFor();
    await panel.getByText(SUMMARY).click();
    await panel.getByRole('button', { name: 'Edit and send again' }).click();
    await panel.getByRole('textbox', { name: 'Body', exact: true }).waitFor();
    await expectNoSidewaysScroll(page);
    const width = await panel.evaluate((node) => [node.scrollWidth, node.clientWidth]);
    expect(width[0]).toBeLessThanOrEqual(width[1] as number);
    expect(await violationsOf(page)).toEqual([]);
  });
});

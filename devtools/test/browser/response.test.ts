import { expect, it } from 'vitest';
import type { Attempt } from '../../src/deliveries/delivery-record.js';
import { openWhole } from './open-page.js';
import { recordOf } from './records.js';
import { describePage } from './suite.js';

const responseOf = (body: string | Uint8Array, headers: [string, string][] = [], more = {}): Attempt['response'] => ({
  headers,
  bodyBase64: Buffer.from(body).toString('base64'),
  bytes: Buffer.byteLength(body),
  ...more,
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
      response: responseOf('x'.repeat(16_000), [], { bytes: 90_000, truncated: true }),
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

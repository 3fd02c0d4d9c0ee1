import { readdirSync, readFileSync } from 'node:fs';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { HOSTILE } from '../page/fake-source.js';
import { expectNoSidewaysScroll, looks, openWhole, rowsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describeInBoth, describePage } from './suite.js';

const directory = new URL('../../src/page/browser/', import.meta.url);

/** A delivery that has a text in every place where there can be one. */
function filledWith(text: string, id = '1') {
  const input = { name: text, value: text, hashed: false, type: text };
  const contract = { address: text, label: text, addressLabel: text, name: text };
  const event = { name: text, signature: text, inputs: [input], contract, rawFields: undefined };
  const transaction = { from: text, txHash: text, method: { name: text, signature: text, inputs: [] } };
  const items = [
    sampleEventEmitted({ id: text, data: { triggeredAt: text, event, transaction } }),
    { id: text, event: text },
    { [text]: text },
  ];
  return recordOf(id, {
    items,
    target: `http://127.0.0.1/${text}`,
    label: text,
    attempt: {
      status: 403,
      reason: text,
      code: text,
      fault: text,
      response: {
        headers: [[text, text]],
        bodyBase64: Buffer.from(text).toString('base64').slice(0, 22_000),
        bytes: 1,
      },
      headers: [
        ['X-Odd', text],
        [text, 'odd'],
      ],
    },
  });
}

const TEXTS = [
  ...HOSTILE,
  '__proto__',
  'constructor',
  '\u2066\u202e\u200f\u061c\u{e0041}\ud800',
  // In more than twenty places: 2 MB. `many.test.ts` has a body of a mebibyte in one.
  '-'.repeat(100_000),
];

describeInBoth('what comes from the wire', (ground) => {
  it('is shown as text, and is found', { timeout: 120_000 }, async () => {
    const { page, source } = await ground.open({ count: 1 }, looks.phone);
    const marks = () => page.evaluate(() => document.querySelectorAll('script, img, iframe, b, style').length);
    for (const [index, text] of TEXTS.entries()) {
      const where = JSON.stringify(text.slice(0, 40));
      source.feed.put(filledWith(text, String(index + 2)));
      await expect.poll(() => rowsOf(page).count()).toBe(index + 2);
      const before = await marks();
      const panel = await openWhole(page);
      await panel.getByRole('button', { name: 'Indented' }).last().click();
      await panel.getByText('1 header', { exact: true }).click();
      await panel.locator('.item').first().waitFor();
      expect(await marks(), where).toBe(before);
      expect(await page.evaluate(() => Object.hasOwn(window, 'pwned')), where).toBe(false);
      expect(await page.evaluate(() => Object.keys(Object.prototype)), where).toEqual([]);
      await expectNoSidewaysScroll(page);
      await page.keyboard.press('Escape');
      // Half a pair cannot be typed.
      await page.getByRole('searchbox').fill(text.slice(0, 20).replace('\ud800', ''));
      await expect.poll(() => page.locator('.total').innerText()).toMatch(/^[1-9]\d* of /);
      await page.getByRole('button', { name: 'Reset filters' }).click();
    }
  });
});

describePage('text from the wire', (ground) => {
  it('names characters that hide or turn the direction of writing', async () => {
    const { page, source } = await ground.open();
    source.feed.put(filledWith('pay\u202egpj.exe\u0007'));
    expect(await rowsOf(page).first().innerText()).toContain('pay⟦U+202E⟧gpj.exe⟦U+0007⟧');
    const panel = await openWhole(page);
    expect(await panel.getByRole('heading', { name: 'pay⟦U+202E⟧gpj.exe⟦U+0007⟧' }).count()).toBe(2);
    expect(await page.evaluate(() => ['\u202e', '\u0007'].some((mark) => document.body.innerText.includes(mark)))).toBe(
      false,
    );
    const isolated = panel.getByRole('heading', { name: 'pay⟦U+202E⟧gpj' }).first().locator('bdi');
    expect(await isolated.evaluate((node) => getComputedStyle(node).unicodeBidi)).toBe('isolate');
  });

  it('is cut where it is long, until all is asked for', async () => {
    const { page, source } = await ground.open();
    source.feed.put(filledWith('long '.repeat(2000)));
    const panel = await openWhole(page);
    const value = panel.locator('.inputs .value').first();
    expect((await value.innerText()).length).toBeLessThan(400);
    await value.getByRole('button', { name: /Show all [\d,]+ characters/ }).click();
    // Pieces that are not in sight have no innerText.
    expect((await value.textContent())?.length).toBeGreaterThan(9000);
  });
});

it('no source file of the page makes markup, code or a style out of text, and none is long', () => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tsx?|html|css)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(20);
  const forbidden =
    /innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|parseFromString|setHTML|srcdoc|\beval\(|new Function|https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)|style="|@import/;
  for (const name of files) {
    const text = readFileSync(new URL(name, directory), 'utf8');
    expect([name, forbidden.exec(text)?.[0]]).toEqual([name, undefined]);
    expect([name, text.split('\n').length < 300]).toEqual([name, true]);
  }
});

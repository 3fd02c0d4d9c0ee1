import { expect, it } from 'vitest';
import { openFirst, textsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describeInBoth, describePage, type Ground } from './suite.js';

async function openEditor(ground: Ground, text: string, more = {}) {
  const { page, source, problems } = await ground.open();
  source.feed.put(recordOf('1', { rawBody: new TextEncoder().encode(text), ...more }));
  const panel = await openFirst(page);
  await panel.getByRole('button', { name: 'Edit and send again' }).click();
  const field = panel.getByRole('textbox', { name: 'Body', exact: true });
  return { page, source, panel, field, problems };
}

describeInBoth('the editor', (ground) => {
  it('keeps its text when sending fails, and Escape closes only the editor', async () => {
    const { panel, field, problems } = await openEditor(ground, '[1]');
    await field.fill('["refuse"]');
    await panel.getByRole('button', { name: 'Sign and send' }).click();
    await panel.getByRole('alert').getByText('No webhook is registered.').waitFor();
    expect(await field.inputValue()).toBe('["refuse"]');
    await panel.getByRole('button', { name: 'Start over' }).click();
    expect(await field.inputValue()).toBe('[1]');
    await field.press('Escape');
    await expect.poll(() => field.count()).toBe(0);
    expect(await panel.count()).toBe(1);
    expect(problems.splice(0)).toEqual([expect.stringContaining('409')]);
  });
});

describePage('edit and send again', (ground) => {
  it('sends the edited bytes and opens the new delivery with its outcome', async () => {
    const { page, source, panel, field } = await openEditor(ground, '[{"name":"Transfer"}]');
    expect(await field.inputValue()).toBe('[{"name":"Transfer"}]');
    await expect.poll(() => field.evaluate((node) => node === document.activeElement)).toBe(true);
    expect(await textsOf(page, '#detail button.primary')).toEqual(['Sign and send']);
    await field.fill('[{"name":"Approval\u00e9"}]');
    await panel.getByRole('button', { name: 'Sign and send' }).click();
    await page.getByText('Sent as delivery sent-1.').waitFor();
    const sent = source.feed.list().at(-1);
    expect(new TextDecoder().decode(sent?.rawBody)).toBe('[{"name":"Approval\u00e9"}]');
    await page.getByRole('heading', { name: `Delivery ${sent?.id}` }).waitFor();
    await panel.locator('.answer').getByText('Answered 200').waitFor();
    expect(await field.count()).toBe(0);
  });

  it('says where JSON is wrong, and sends it anyway', async () => {
    const { page, panel, field, source } = await openEditor(ground, '[1]');
    await panel.getByText('Valid JSON.').waitFor();
    await field.fill('[\n  1,\n]');
    await panel.getByText('It can be sent anyway.').waitFor();
    await panel.getByRole('button', { name: 'Sign and send' }).click();
    await page.getByText(/Sent as delivery/).waitFor();
    expect(new TextDecoder().decode(source.feed.list().at(-1)?.rawBody)).toBe('[\n  1,\n]');
  });

  it.each([
    [
      'not UTF-8',
      { rawBody: new Uint8Array([0x5b, 0xff, 0x5d]) },
      'The body is not UTF-8: as text, other bytes would be sent.',
    ],
    [
      'too large',
      { rawBody: new Uint8Array(256_001).fill(0x20) },
      'The body has 256.0 kB. Up to 256.0 kB can be edited here.',
    ],
    ['not kept', { rawBody: new Uint8Array(), bodyDropped: true }, 'The body is no longer kept.'],
  ])('refuses a body that is %s, with the reason', async (_title, more, reason) => {
    const { panel, field } = await openEditor(ground, '', more);
    await panel.getByText(reason, { exact: true }).waitFor();
    expect(await field.count()).toBe(0);
    expect(await panel.getByRole('button', { name: 'Sign and send' }).count()).toBe(0);
  });
});

import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openControls, rowsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describeInBoth, describePage } from './suite.js';

const named = (name: string, label: string) => sampleEventEmitted({ data: { event: { name, contract: { label } } } });

describePage('filters of the page', (ground) => {
  async function openSome() {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { items: [named('Transfer', 'coin')] }));
    source.feed.put(recordOf('2', { items: [named('Approval', 'deeds')], attempt: { status: 403 } }));
    source.feed.put(recordOf('3', { items: [sampleTransactionIncluded()], attempt: { status: 500, code: 'E_ODD' } }));
    await rowsOf(page).nth(2).waitFor();
    return { page, source, counts: page.locator('.total') };
  }

  it('shows the verdicts that are pressed, and counts all', async () => {
    const { page, counts, source } = await openSome();
    const refused = page.getByRole('button', { name: 'refused 1' });
    await refused.click();
    expect(await refused.getAttribute('aria-pressed')).toBe('true');
    await page.getByText('1 of 3 deliveries').waitFor();
    expect(await rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('Approval')]);
    // One that comes later passes the same filter, and one that changes leaves it.
    source.feed.put(recordOf('4', { attempt: { status: 403 } }));
    source.feed.put(recordOf('2', { items: [named('Approval', 'deeds')] }));
    await page.getByText('1 of 4 deliveries').waitFor();
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('Transfer')]);
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByText('4 deliveries', { exact: true }).waitFor();
    expect(await counts.innerText()).toBe('4 deliveries');
  });

  it('shows one kind, one contract, or what has a text in it', async () => {
    const { page } = await openSome();
    await page.getByLabel('Kind').selectOption('transaction.included');
    await page.getByText('1 of 3 deliveries').waitFor();
    await page.getByLabel('Kind').selectOption('All kinds');
    await page.getByLabel('Contract', { exact: true }).selectOption('deeds');
    await page.getByText('1 of 3 deliveries').waitFor();
    expect(await rowsOf(page).innerText()).toContain('Approval');
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByRole('searchbox').fill('e_odd');
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('transaction.included')]);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No delivery matches the filters.').waitFor();
  });
});

describeInBoth('the registration of a webhook', (ground) => {
  it('registers a webhook, shows its secret once, and has forgotten it when the dialog is closed', async () => {
    const { page, problems } = await ground.open();
    await openControls(page);
    await page.getByRole('button', { name: 'Register a webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Label').fill('<b>till</b>');
    await dialog.getByLabel('URL of the receiver').fill('ftp://127.0.0.1/');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByRole('alert').getByText('The URL must start with https:// or http://.').waitFor();
    // The browser itself logs what was answered 4xx.
    expect(problems.splice(0)).toEqual([expect.stringContaining('status of 400')]);
    await dialog.getByLabel('URL of the receiver').fill('http://127.0.0.1:9/till');
    await page.keyboard.press('Enter');
    await dialog.getByText('it is not shown again').waitFor();
    expect(await dialog.getByRole('group', { name: 'Secret' }).innerText()).toBe('whsec-shown-once-0123456789');
    await dialog.getByRole('button', { name: 'Copy secret' }).click();
    await page.getByText('Secret copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('whsec-shown-once-0123456789');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('<b>till</b>', { exact: true }).first().waitFor();
    expect(await page.content()).not.toContain('whsec-shown-once');
    expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).not.toContain(
      'whsec-shown-once',
    );
  });
});

describePage('webhooks and faults on the page', (ground) => {
  it('removes a webhook after a question', async () => {
    const { page } = await ground.open();
    await openControls(page);
    const asked = page.waitForEvent('dialog');
    await page.getByRole('button', { name: 'Remove shop' }).click();
    expect((await asked).message()).toBe('Remove shop?');
    await page.getByText('None yet.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Webhooks');
  });

  it('says in a banner which faults are on, in every tab, until they are turned off', async () => {
    const { page } = await ground.open();
    await openControls(page);
    await page.getByRole('switch', { name: 'Wrong signature' }).click();
    const banner = page.locator('#fault-banner');
    await banner.getByText('Faults are on: wrong signature.').waitFor();
    await page.getByLabel('Delay').press('ControlOrMeta+a');
    await page.keyboard.type('1500');
    await page.keyboard.press('Enter');
    await page.getByText('wrong signature, delay of 1.5 s').waitFor();
    await page.reload();
    await page.getByText('wrong signature, delay of 1.5 s').waitFor();
    await openControls(page);
    expect(await page.getByRole('switch', { name: 'Wrong signature' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Turn all off' }).click();
    await banner.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Delay').inputValue()).toBe('0');
    expect(await page.getByRole('switch', { checked: true }).count()).toBe(0);
  });
});

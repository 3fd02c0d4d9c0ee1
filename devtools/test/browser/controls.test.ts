import { readFile } from 'node:fs/promises';
import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { looks, openControls, rowsOf } from './open-page.js';
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

describePage('the panel of controls', (ground) => {
  it('shows the deliveries that wait, opens the one they wait for, and has it sent now', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('343', { attempt: { status: 503 } }));
    const held = { webhookId: 1, label: 'shop', behind: '343', waiting: 94, since: Date.now() };
    source.more.queue = [{ ...held, nextAttemptAt: Date.now() + 60_000 }];
    source.stateChanged();
    const banner = page.getByRole('region', { name: 'Deliveries that wait' });
    await banner.getByText(/^shop: 94 deliveries waiting behind #343, which is sent again in \d+ s\.$/).waitFor();
    await banner.getByRole('button', { name: '#343' }).click();
    await page.getByRole('heading', { name: 'Delivery 343' }).waitFor();
    const [call] = await Promise.all([
      page.waitForRequest('**/api/webhooks/1/retry'),
      page.route('**/api/webhooks/1/retry', (route) => route.fulfill({ json: { id: '343' } })),
      banner.getByRole('button', { name: 'Retry now' }).click(),
    ]);
    expect(call.method()).toBe('POST');
    source.more.queue = [held];
    source.stateChanged();
    await banner.getByText('which is being sent.').waitFor();
    expect(await banner.getByRole('button', { name: 'Retry now' }).count()).toBe(0);
    source.more.queue = [{ ...held, waiting: 0 }];
    source.stateChanged();
    await banner.waitFor({ state: 'detached' });
  });
});

describePage('the first run', (ground) => {
  const firstRun = {
    framework: 'express',
    line: "app.post('/webhooks', webhooks);",
    secretCommand: 'read -rs WEBHOOK_SECRET && WEBHOOK_SECRET=$WEBHOOK_SECRET npm start',
    asks: true,
  };

  it.each(['light', 'phone'] as const)(
    'shows how a receiver is written, and registers it with its secret command: %s',
    async (look) => {
      const { page, source } = await ground.open({}, looks[look]);
      Object.assign(source.more, { webhooks: [], firstRun });
      source.stateChanged();
      await page.getByText('No receiver yet? Write one for express').click();
      expect(await page.getByRole('group', { name: 'The receiver for express' }).innerText()).toBe(firstRun.line);
      expect(await page.getByRole('group', { name: 'Write' }).innerText()).toBe('npx event-webhooks init');
      await page.locator('#empty').getByRole('button', { name: 'Copy' }).nth(1).click();
      await page.getByText('Code copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(firstRun.line);

      await page.locator('#empty').getByRole('button', { name: 'Register a webhook' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByLabel('URL of the receiver').inputValue()).toBe('http://127.0.0.1:3000/webhooks');
      await dialog.getByLabel('Label').fill('shop');
      await page.keyboard.press('Enter');
      await dialog.getByText('it is not shown again').waitFor();
      expect(await dialog.getByRole('group', { name: 'Command' }).innerText()).toBe(firstRun.secretCommand);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await expect.poll(() => page.content()).not.toContain('whsec-shown-once');
    },
  );
});

describePage('a webhook without a receiver', (ground) => {
  it('shows how one is written, until a delivery is accepted', async () => {
    const { page, source } = await ground.open();
    const secretCommand = 'WEBHOOK_SECRET=$(cat webhook-secret.txt) npm start';
    source.more.firstRun = { framework: 'node', secretCommand, asks: false };
    source.feed.put(recordOf('1', { attempt: { status: undefined, code: 'ECONNREFUSED' } }));
    source.stateChanged();
    await openControls(page);
    await page.getByText('No receiver yet? Write one for node').click();
    expect(await page.getByRole('group', { name: 'Start' }).innerText()).toBe(secretCommand);
    source.feed.put(recordOf('1'));
    await page.getByText('No receiver yet?').waitFor({ state: 'detached' });
  });
});

describeInBoth('recordings on the page', (ground) => {
  it('are opened from a file, and a refusal and what was skipped are shown', async () => {
    const { page, problems } = await ground.open();
    const refusal = { status: 400, json: { message: 'That is not a recording.' } };
    await page.route('**/api/recordings', (route) => route.fulfill(refusal));
    await openControls(page);
    const file = { name: 'deliveries.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from('{"a":1}\n') };
    await page.getByLabel('Recording', { exact: true }).setInputFiles(file);
    await page.getByText('That is not a recording.').waitFor();
    expect(problems.splice(0)).toEqual([expect.stringContaining('status of 400')]);
    const answer = { added: 12, skipped: 1, problems: [{ line: 3, reason: 'It is not JSON.' }] };
    await page.route('**/api/recordings', (route) => route.fulfill({ json: answer }));
    await page.getByLabel('Recording', { exact: true }).setInputFiles(file);
    await page.getByText('12 deliveries added, 1 line skipped. Line 3: It is not JSON.').waitFor();
  });
});

// Firefox tells nobody of a download over WebDriver BiDi.
describePage('the list of the page', (ground) => {
  it('is saved as a recording', async () => {
    const { page, source } = await ground.open();
    await openControls(page);
    const button = page.getByRole('button', { name: 'Export all' });
    expect(await button.isDisabled()).toBe(true);
    source.feed.put(recordOf('1'));
    await rowsOf(page).first().waitFor();
    const headers = { 'X-Deliveries-Omitted': '2' };
    await page.route('**/api/recording', (route) => route.fulfill({ headers, body: '{"a":1}\n' }));
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toBe('deliveries.ndjson');
    expect(await readFile((await download.path()) as string, 'utf8')).toBe('{"a":1}\n');
    await page.getByText('2 deliveries left out: their bodies are no longer kept.').waitFor();
  });
});

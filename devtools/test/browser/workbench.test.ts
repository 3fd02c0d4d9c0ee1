import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';
import { openControls, openFirst, openSteps, rowsOf } from './open-page.js';
import { recordOf } from './records.js';
import { describeInBoth, describePage } from './suite.js';

const stale = (id: string, more = {}) => {
  const at = Math.floor(Date.now() / 1000) * 1000 + 3_000_000;
  return recordOf(id, { attempt: { at, status: 403 }, ...more });
};

describePage('a page that still waits for an answer', (ground) => {
  it('shows that a search runs, and that a body was not read', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { verified: false, attempt: { status: 403 } }));
    await rowsOf(page).getByText('not read').waitFor();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/search?*', async (route) => {
      await answered;
      await route.fulfill({ json: { ids: [], complete: true } });
    });
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('Searching 1 delivery').waitFor();
    expect(await page.getByText('No delivery matches').count()).toBe(0);
    answer();
    await page.getByText('No delivery matches the filters.').waitFor();
    await page.getByText('0 of 1 delivery').waitFor();
  });
});

describePage('a row', (ground) => {
  it('is a sentence with the amount, or with the cause; consecutive equal causes are one row', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1'));
    for (const id of ['2', '3', '4']) source.feed.put(stale(id));
    const fold = page.getByRole('button', { name: '× 3' });
    await fold.waitFor();
    expect(await rowsOf(page).count()).toBe(2);
    expect(await rowsOf(page).first().locator('.what').innerText()).toMatch(/Transfer\s+stale by 50 min/);
    expect(await rowsOf(page).last().locator('.what').innerText()).toMatch(/Transfer\s+1 TKN · 0xf39F → 0x7099/);
    await fold.click();
    await rowsOf(page).nth(3).waitFor();
    await page.getByRole('grid').press('ArrowLeft');
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole('grid').press('ArrowRight');
    await rowsOf(page).nth(3).waitFor();
  });

  it('of a recording is where its time puts it, with its date', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1'));
    source.feed.put(recordOf('r1', { recorded: true, attempt: { at: 1_600_000_000_000 } }));
    await rowsOf(page).nth(1).waitFor();
    const row = rowsOf(page).last();
    await row.getByText('recorded', { exact: true }).waitFor();
    expect(await row.locator('.time').innerText()).toMatch(/^2020-09-1\d \d\d:\d\d:\d\d$/);
    expect(await row.locator('.time').getAttribute('title')).toMatch(/2020-09-1\d \d\d:\d\d:\d\d\.\d{3} UTC$/);
  });

  it('shows a long cause whole beside an open delivery', async () => {
    const { page, source } = await ground.open({}, { viewport: { width: 1180, height: 800 } });
    const said = 'duplicate key value violates unique constraint "orders_pkey"';
    const response = { headers: [], bodyBase64: btoa(JSON.stringify({ error: said })), bytes: 80 };
    source.feed.put(recordOf('1', { attempt: { status: 500, response }, nextAttemptAt: Date.now() + 60_000 }));
    const cause = page.locator('.row .cause', { hasText: said });
    await cause.waitFor();
    const isCut = () => cause.evaluate((node) => node.scrollWidth > node.clientWidth);
    expect(await isCut()).toBe(false);
    await openFirst(page);
    await expect.poll(isCut).toBe(false);
  });
});

describePage('the list', (ground) => {
  it('is live after a delivery is closed, also when it was reached by keys', async () => {
    const { page, source } = await ground.open({ count: 3 });
    await rowsOf(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByRole('grid').press('Enter');
    await page.getByRole('heading', { name: 'Delivery 2' }).waitFor();
    await page.keyboard.press('Escape');
    source.deliver();
    await rowsOf(page).nth(3).waitFor();
  });

  it('shows what was just sent, whatever holds or filters it', async () => {
    const { page, source } = await ground.open({ count: 60 });
    await page.getByRole('button', { name: /^failed/ }).click();
    await openFirst(page);
    await page.getByRole('button', { name: 'Send sample' }).click();
    await page.locator('.row.active', { hasText: '#61' }).waitFor();
    await page.getByText('61 deliveries', { exact: true }).waitFor();
    expect(source.feed.list()).toHaveLength(61);
  });

  it('resends and exports the rows that are selected', async () => {
    const { page, source } = await ground.open();
    for (const id of ['1', '2', '3']) source.feed.put(recordOf(id, { attempt: { status: 500 + Number(id) } }));
    source.feed.put(recordOf('4', { verified: false, attempt: { status: 403 } }));
    await rowsOf(page).nth(3).waitFor();
    await rowsOf(page).first().getByRole('checkbox').click({ force: true });
    await rowsOf(page)
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    const exported = page.waitForRequest('**/api/recording');
    await page.getByRole('button', { name: 'Export 3' }).click();
    expect((await exported).postDataJSON().ids.toSorted()).toEqual(['2', '3', '4']);
    // A forged delivery is not signed again.
    await page.getByRole('button', { name: 'Resend 2' }).click();
    await page.getByText('2 deliveries resent.').waitFor();
    expect(source.feed.list().map(({ attempts }) => attempts.length)).toEqual([1, 2, 2, 1]);
    await page.getByText('4 deliveries', { exact: true }).waitFor();
  });
});

describeInBoth('the strip of time', (ground) => {
  it('filters by the mouse and by keys', async () => {
    const { page } = await ground.open({ count: 200 });
    const strip = page.getByRole('slider', { name: 'Time range' });
    const { x, y, width } = (await strip.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width * 0.9, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + 20);
    await page.mouse.up();
    await page.getByText(/^\d\d of 200 deliveries$/).waitFor();
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/ to \d\d:\d\d:\d\d: \d+ accepted, \d+ refused/);
    await strip.press('Shift+ArrowLeft');
    await strip.press('ArrowLeft');
    await strip.press('Escape');
    await page.getByText('200 deliveries', { exact: true }).waitFor();
  });
});

describePage('a delivery as a story', (ground) => {
  it('keeps verdict and cause in view, opens why, and starts at its top', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { items: Array.from({ length: 20 }, () => sampleEventEmitted()) }));
    source.feed.put(stale('2'));
    const panel = await openFirst(page);
    const step = (name: string) => panel.locator('.step', { has: page.getByRole('heading', { name, exact: true }) });
    expect(await step('Refused').locator('.finding').innerText()).toMatch(/^certain.*The delivery is 300\d s old/s);
    expect(await step('Sent').locator('.step-body').count()).toBe(0);
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Delivery 1', exact: true }).waitFor();
    await step('Sent').locator('.item').first().waitFor();
    expect(await step('Verified').locator('.step-body').count()).toBe(0);
    await panel.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    expect(await panel.locator('.answer').boundingBox()).toMatchObject({ y: expect.any(Number) });
    expect((await panel.locator('.answer').boundingBox())?.y).toBeLessThan(200);
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Delivery 2', exact: true }).waitFor();
    expect(await panel.evaluate((node) => node.scrollTop)).toBe(0);
  });

  it('is copied as a test, and is not resent where that is refused', async () => {
    const { page, source } = await ground.open();
    source.feed.put(recordOf('1', { verified: false, attempt: { status: 403 } }));
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Copy as test' }).click();
    await page.getByText('Test copied.').waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).toContain("import { createTestDelivery } from 'event-webhook-receiver/testing';");
    expect(code).toContain('await delivery.send("http://127.0.0.1:3000/webhooks")');
    expect(await panel.getByRole('button', { name: 'Resend' }).count()).toBe(0);
    await openSteps(page);
    await panel.getByText('Not verified').waitFor();
  });
});

describePage('many refusals', (ground) => {
  it('have one cause, which is said on top with its fix until it is hidden', async () => {
    const { page, source } = await ground.open();
    for (let id = 1; id <= 7; id++) source.feed.put(stale(String(id)));
    const insight = page.getByRole('region', { name: 'One cause' });
    await insight.getByText('Your last 7 refusals have one cause: stale by 50 min.').waitFor();
    await insight.getByText(/set the clocks by NTP/).waitFor();
    await insight.getByRole('button', { name: 'Show the newest' }).click();
    await page.getByRole('heading', { name: 'Delivery 7' }).waitFor();
    await insight.getByRole('button', { name: 'Hide' }).click();
    await insight.waitFor({ state: 'detached' });
    await openControls(page);
    await page.getByRole('complementary', { name: 'Controls' }).press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Controls');
  });
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAnvil, needsAnvil } from '../../../test/servers/anvil.js';
import { hasChromium, needsChromium, startChromium } from '../../../test/servers/chromium.js';
import { closeControls, type OpenPage, openControls, openFirst, openPage, rowsOf } from './open-page.js';
import { startWholeSystem, type WholeSystem } from './whole-system.js';

const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

// Each test goes on where the one before it has ended, as somebody would who develops a receiver.
describe.skipIf(!hasChromium || !hasAnvil)(
  `emulate with a chain, a receiver and a browser${needsChromium}${needsAnvil}`,
  { timeout: 60_000 },
  () => {
    let browser: Browser;
    let system: WholeSystem;
    let tab: OpenPage;
    beforeAll(async () => {
      [browser, system] = await Promise.all([startChromium(), startWholeSystem()]);
      tab = await openPage(browser, system.address);
    }, 60_000);
    afterAll(async () => {
      await browser?.close();
      await system?.stop();
    });

    it('registers a webhook on the page, and shows its secret once', async () => {
      const { page } = tab;
      await page.getByRole('button', { name: 'Register a webhook' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Label' }).fill('till');
      await dialog.getByLabel('URL of the receiver').fill(system.receiverUrl);
      await dialog.getByRole('button', { name: 'Register' }).click();
      await dialog.getByText('it is not shown again').waitFor();
      const secret = await dialog.getByRole('group', { name: 'Secret' }).innerText();
      system.setSecret(secret);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await openControls(page);
      await page.getByRole('button', { name: 'Remove till' }).waitFor();
      await closeControls(page);
      expect(secret.length).toBeGreaterThanOrEqual(32);
      expect(await page.content()).not.toContain(secret);
    });

    it('shows the delivery of a real transaction, accepted, with its amount decoded exactly', async () => {
      const { page } = tab;
      const hash = await system.transfer(BOB, 12_500_000_000_000_000_000n);
      await page.locator('.row.accepted').waitFor();
      expect(await rowsOf(page).innerText()).toMatch(/accepted.*Transfer.*12\.5 SAMPLE · 0x\w{4} → 0x7099.*200/s);
      const panel = await openFirst(page);
      const amount = panel.getByRole('row', { name: /^value uint256/ });
      expect(await amount.innerText()).toMatch(/uint256\s+12\.5 SAMPLE\s+12500000000000000000/);
      expect(await panel.getByRole('row', { name: /^to / }).innerText()).toMatch(/0x7099…79C8/);
      await panel.getByRole('button', { name: `Copy ${hash}` }).click();
      await page.getByText('Hash copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(hash);
      await expect.poll(() => system.received).toEqual(['12500000000000000000']);
      await page.keyboard.press('Escape');
    });

    it('shows how a delivery with a fault is refused, and why', async () => {
      const { page } = tab;
      await openControls(page);
      await page.getByRole('switch', { name: 'Wrong signature' }).click();
      await closeControls(page);
      await page.getByText('Faults are on: wrong signature.').waitFor();
      await page.getByRole('button', { name: 'Send sample' }).click();
      await page.locator('.row.refused').waitFor();
      const panel = await openFirst(page);
      await panel.locator('.answer').getByText('Answered 403').waitFor();
      const causes = await panel.locator('.finding').allInnerTexts();
      expect(causes[0]).toMatch(/^certain.*contains a fault that you turned on/s);
      expect(causes[1]).toMatch(/^certain.*(white space|line break|newline)/is);
      expect(system.received).toHaveLength(1);
    });
  },
);

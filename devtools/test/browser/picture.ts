// Takes the screenshot of the README from real deliveries: `npm run build:js && npx tsx devtools/test/browser/picture.ts [seconds]`.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChromium } from '../../../test/servers/chromium.js';
import { closeControls, openControls, openFirst, openPage } from './open-page.js';

import { startWholeSystem } from './whole-system.js';

const path = fileURLToPath(new URL('../../../examples/page.png', import.meta.url));
/** How long deliveries come before the picture is taken: the chart goes back five minutes. */
const seconds = Number(process.argv[2] ?? 200);

const system = await startWholeSystem({ interval: 1 });
const browser = await startChromium();
try {
  const { page } = await openPage(browser, system.address, { viewport: { width: 1180, height: 760 } });
  const register = async (label: string, url: string) => {
    await openControls(page);
    await page.locator('#drawer').getByRole('button', { name: 'Register a webhook' }).click();
    await page.getByRole('textbox', { name: 'Label' }).fill(label);
    await page.getByLabel('URL of the receiver').fill(url);
    await page.keyboard.press('Enter');
    const secret = await page.getByRole('group', { name: 'Secret' }).innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await closeControls(page);
    return secret;
  };
  const deliveries = async (wanted: number) => {
    const enough = (count: number) => Number(document.querySelector('.total')?.textContent?.match(/\d+/)?.[0]) >= count;
    await page.waitForFunction(enough, wanted, { timeout: (seconds + 60) * 1000 });
  };
  const fault = async (name: string) => {
    await openControls(page);
    await page.getByRole('switch', { name }).click();
    await closeControls(page);
  };

  system.setSecret(await register('till', system.receiverUrl));
  await deliveries(Math.round(seconds * 0.4));
  await fault('Old timestamp');
  await page.locator('.row.refused').first().waitFor();
  await fault('Old timestamp');
  await deliveries(Math.round(seconds * 0.9));
  // Nobody listens there.
  await register('ledger', 'http://127.0.0.1:9/webhooks');
  await deliveries(seconds);
  await fault('Wrong signature');
  await page.locator('.row.refused').first().waitFor();
  await openFirst(page);
  await page.mouse.move(0, 0);
  await page.screenshot({ path });
  console.log(`${path}: ${statSync(path).size} bytes`);
} finally {
  await browser.close();
  await system.stop();
}

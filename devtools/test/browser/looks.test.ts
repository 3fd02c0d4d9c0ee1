import { expect, it } from 'vitest';
import {
  expectNoSidewaysScroll,
  looks,
  openControls,
  openFirst,
  openSteps,
  rowsOf,
  violationsOf,
} from './open-page.js';
import { describePage } from './suite.js';

describePage('accessibility of the page (axe-core)', (ground) => {
  it.each(Object.entries(looks))('has nothing to say: %s', async (_name, look) => {
    const { page } = await ground.open({ count: 60, hostile: true }, look);
    await rowsOf(page).first().waitFor();
    const check = async (where: string) => {
      expect([where, await violationsOf(page)]).toEqual([where, []]);
      await expectNoSidewaysScroll(page);
    };
    await check('list');
    await page.getByRole('button', { name: /^refused/ }).click();
    const panel = await openFirst(page);
    await check('a refused delivery');
    await openSteps(page);
    await panel.getByRole('button', { name: 'Hex' }).first().click();
    await check('its bytes');
    await page.keyboard.press('Escape');
    await openControls(page);
    await page.getByRole('switch', { name: 'Old timestamp' }).click();
    await page.getByRole('button', { name: 'Turn all off' }).waitFor();
    await check('faults');
    await page.getByRole('button', { name: 'Register a webhook' }).click();
    await check('dialog');
    await page.getByRole('textbox', { name: 'Label' }).fill('till');
    await page.getByLabel('URL of the receiver').fill('http://127.0.0.1:9/');
    await page.keyboard.press('Enter');
    await page.getByText('it is not shown again').waitFor();
    await check('secret');
  });

  it.each(Object.entries(looks))('has nothing to say where there is nothing, or no token: %s', async (_name, look) => {
    const { page, problems, source } = await ground.open({}, look);
    await page.getByText('Waiting for the first delivery.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${source.url}#token=not-the-right-one`);
    await page.getByRole('heading', { name: 'This page needs its token' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await expectNoSidewaysScroll(page);
    expect(problems.splice(0)).toEqual([expect.stringContaining('status of 401')]);
  });
});

describePage('the page with reduced motion', (ground) => {
  it('moves nothing', async () => {
    const { page } = await ground.open({ count: 3 }, { reducedMotion: 'reduce' });
    await openFirst(page);
    const moving = () =>
      page.evaluate(() => {
        const isStill = (node: Element) => {
          const { animationName, scrollBehavior, transitionDuration } = getComputedStyle(node);
          return animationName === 'none' && scrollBehavior === 'auto' && transitionDuration === '0s';
        };
        return [...document.querySelectorAll('*')].filter((node) => !isStill(node)).length;
      });
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
  });
});

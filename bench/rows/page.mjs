import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { pick } from '../lib/effort.mjs';
import { freshDelivery } from '../lib/fixtures.mjs';
import { startListen } from '../lib/listen.mjs';
import { summarise } from '../lib/stats.mjs';

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell';
const skipped = existsSync(executablePath) ? undefined : 'no Chromium; CHROMIUM names one';
const DELIVERIES = 10_000;

/** A recording of so many deliveries, every third of them refused. */
function recordingOf(count) {
  const { rawBody, headers } = freshDelivery(1);
  const fixed = { method: 'POST', path: '/webhooks', headers: Object.entries(headers) };
  const bodyBase64 = Buffer.from(rawBody).toString('base64');
  const start = Date.now() - count * 1000;
  return Array.from({ length: count }, (_, n) => {
    const at = new Date(start + n * 1000).toISOString();
    return JSON.stringify({ at, ...fixed, bodyBase64, status: n % 3 === 0 ? 403 : 200 });
  }).join('\n');
}

/** A page with as many rows that does nothing. */
const staticPage = (count) =>
  `<!doctype html><div id="list" style="height:700px;overflow:auto">${Array.from(
    { length: count },
    (_, n) =>
      `<div style="display:flex;gap:12px;height:36px"><b>#${n}</b><span>Transfer 12.5 TKN</span><i>12:00:00</i></div>`,
  ).join('')}</div>`;

/** Milliseconds of script, style and layout for each frame while `#list` is scrolled by ten rows a frame. */
async function scroll(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const spent = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
    return metrics.filter(({ name }) => spent.includes(name)).reduce((sum, { value }) => sum + value * 1000, 0);
  };
  const before = await busy();
  const frames = await page.evaluate(
    async (count) => {
      const list = document.getElementById('list');
      for (let frame = 0; frame < count; frame++) {
        list.scrollTop = (list.scrollTop + 360) % (list.scrollHeight - list.clientHeight);
        await new Promise(requestAnimationFrame);
      }
      return count;
    },
    pick(200, 100, 10),
  );
  return ((await busy()) - before) / frames;
}

/** Milliseconds from acting until the panel has another heading, and that is painted. */
const untilPainted = (page, act) =>
  page.evaluate(async (how) => {
    const title = document.getElementById('detail-title');
    const before = title.textContent;
    const start = performance.now();
    if (how === 'click') document.querySelector('.canvas > .row:not([aria-selected="true"]):nth-child(3n)').click();
    else document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
    while (title.textContent === before) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  }, act);

async function repeated(count, measure) {
  const figures = [];
  for (let round = 0; round < count; round++) figures.push(await measure());
  return figures;
}

async function run() {
  const count = pick(DELIVERIES, DELIVERIES, 100);
  const listen = await startListen();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(listen.page);
    const [origin, token] = listen.page.split('#token=');
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson' };
    const added = await fetch(`${origin}api/recordings`, { method: 'POST', headers, body: recordingOf(count) });
    if ((await added.json()).added !== count) throw new Error('The page did not take the recording.');
    await page.locator('.total', { hasText: count.toLocaleString('en') }).waitFor();
    const fixed = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await fixed.setContent(staticPage(count));
    const rounds = pick(10, 5);
    const scrolled = [];
    for (let round = 0; round < rounds; round++) scrolled.push((await scroll(page)) - (await scroll(fixed)));
    await page.locator('.canvas > .row').first().click();
    await page.locator('#detail .answer').waitFor();
    const clicked = await repeated(rounds, () => untilPainted(page, 'click'));
    const pressed = await repeated(rounds, () => untilPainted(page, 'key'));
    const row = (name, against, measure, max, figures) => ({
      name,
      against,
      measure,
      target: { max },
      ...summarise(figures),
    });
    return [
      row(`page, scrolling ${count} rows`, 'a static page', 'work + ms a frame', 8, scrolled),
      row('page, click on a row to paint', 'nothing', 'ms', 100, clicked),
      row('page, key j to paint', 'nothing', 'ms', 100, pressed),
    ];
  } finally {
    await browser.close();
    listen.stop();
  }
}

export const benchmarks = [{ name: 'page with 10 000 rows', skipped, run }];

// Makes docs/public/home.png, the picture of the start page and of links to the site: what `send --tamper all` prints, beside
// the inspector page of examples/page.png. `npm run build:js && node docs/.vitepress/picture.mjs`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const inProject = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const tool = inProject('devtools/dist/cli/main.js');
const env = { ...process.env, WEBHOOK_SECRET: 'whsec-test', FORCE_COLOR: '1' };

const listen = spawn(process.execPath, [tool, 'listen', '--port', '0'], { env });
const [started] = await once(listen.stdout, 'data');
const url = `${/http:\S+(?=\/)/.exec(started)[0]}/webhooks`;
const { stdout } = await promisify(execFile)(process.execPath, [tool, 'send', url, '--tamper', 'all'], { env }).catch(
  (error) => error,
);
listen.kill();

const COLORS = {
  1: 'font-weight:bold',
  2: 'opacity:.7',
  31: 'color:#ff7b72',
  32: 'color:#56d364',
  33: 'color:#e3b341',
};
const escaped = stdout
  .replaceAll(url, 'http://127.0.0.1:3000/webhooks')
  .replaceAll('&', '&amp;')
  .replaceAll('<', '&lt;');
const code = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, 'g');
// Without its last line, the latencies.
const shown = escaped.trimEnd().split('\n').slice(0, -1).join('\n');
const output = shown.replace(code, (_, style) =>
  COLORS[style] === undefined ? '</span>' : `<span style="${COLORS[style]}">`,
);
const page = `data:image/png;base64,${readFileSync(inProject('examples/page.png'), 'base64')}`;
const html = `<style>
  body { margin: 0; width: 1200px; height: 630px; overflow: hidden; background: #24292f; }
  img { position: absolute; left: 262px; top: 20px; width: 920px; border-radius: 10px; box-shadow: 0 8px 40px #0008; }
  pre { position: absolute; left: 18px; bottom: 20px; margin: 0; padding: 18px 22px; border-radius: 10px; background: #0d1117;
    color: #e6edf3; font: 14px/1.45 monospace; box-shadow: 0 8px 40px #000b; }
</style><img src="${page}"><pre><b>$ npx event-webhooks send --tamper all</b>\n${output}</pre>`;

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const view = await browser.newPage({ viewport: { width: 1200, height: 630 } });
await view.setContent(html);
await view.locator('img').evaluate((image) => image.decode());
await view.screenshot({ path: inProject('docs/public/home.png') });
await browser.close();

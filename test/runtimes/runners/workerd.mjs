// workerd, by Miniflare: node workerd.mjs <bundle> <input> [compatibility flag …]
import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const [bundle, input, ...compatibilityFlags] = process.argv.slice(2);
const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(bundle, 'utf8') }],
  compatibilityDate: '2026-04-01',
  compatibilityFlags,
});
const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body: readFileSync(input) });
for await (const chunk of response.body) process.stdout.write(chunk);
await miniflare.dispose();

// workerd's own HTTP server, by Miniflare: node worker-server.mjs <bundle>. Prints its URL, ends with its input.
import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(process.argv[2], 'utf8') }],
  compatibilityDate: '2026-04-01',
  host: '127.0.0.1',
});
console.log(String(await miniflare.ready));
process.stdin.on('end', async () => process.exit(await miniflare.dispose())).resume();

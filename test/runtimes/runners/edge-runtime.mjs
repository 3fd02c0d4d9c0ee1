// The Vercel edge runtime: node edge-runtime.mjs <bundle> <input>
import { readFileSync } from 'node:fs';
import { EdgeRuntime } from 'edge-runtime';

const [bundle, input] = process.argv.slice(2);
const runtime = new EdgeRuntime({
  initialCode: readFileSync(bundle, 'utf8'),
  extend: (context) => Object.assign(context, { foreignBytes: (bytes) => Uint8Array.from(bytes) }),
});
const response = await runtime.dispatchFetch('http://localhost/', {
  method: 'POST',
  body: readFileSync(input, 'utf8'),
});
for await (const chunk of response.body) process.stdout.write(chunk);

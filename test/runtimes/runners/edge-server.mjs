// The Vercel edge runtime's own HTTP server: node edge-server.mjs <bundle>. Prints its URL, ends with its input.
import { readFileSync } from 'node:fs';
import { EdgeRuntime, runServer } from 'edge-runtime';

const runtime = new EdgeRuntime({ initialCode: readFileSync(process.argv[2], 'utf8') });
const { url } = await runServer({ runtime, host: '127.0.0.1' });
console.log(url);
process.stdin.on('end', () => process.exit()).resume();

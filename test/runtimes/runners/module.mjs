// Node, Bun and Deno, from a folder that has the package installed: node module.mjs <import | require>
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { run } from './suite.mjs';

const load = process.argv[2] === 'require' ? createRequire(import.meta.url) : (specifier) => import(specifier);
const lib = { root: await load('event-webhook-receiver') };
for (const name of ['evm', 'fetch', 'schemas', 'testing', 'verify']) {
  lib[name] = await load(`event-webhook-receiver/${name}`);
}

const { traits } = JSON.parse(readFileSync(new URL('./input.json', import.meta.url), 'utf8'));
const unhandled = [];
if (typeof Deno === 'undefined') process.on('unhandledRejection', (reason) => unhandled.push(reason));
else {
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    unhandled.push(event.reason);
  });
}
const foreignBytes = (bytes) => runInNewContext('new Uint8Array(values)', { values: [...bytes] });
await run(lib, traits, { unhandled, foreignBytes }, (result) => console.log(JSON.stringify(result)));

// Node, Bun and Deno, from a folder that has the package installed: require.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { runInNewContext } = require('node:vm');

const lib = {
  root: require('event-webhook-receiver'),
  evm: require('event-webhook-receiver/evm'),
  fetch: require('event-webhook-receiver/fetch'),
  schemas: require('event-webhook-receiver/schemas'),
  testing: require('event-webhook-receiver/testing'),
  verify: require('event-webhook-receiver/verify'),
};

const { traits } = JSON.parse(readFileSync(join(__dirname, 'input.json'), 'utf8'));
const unhandled = [];
if (typeof Deno === 'undefined') process.on('unhandledRejection', (reason) => unhandled.push(reason));
else {
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    unhandled.push(event.reason);
  });
}
const foreignBytes = (bytes) => runInNewContext('new Uint8Array(values)', { values: [...bytes] });
const host = { unhandled, foreignBytes };

void import('./suite.mjs').then(({ run }) => run(lib, traits, host, (result) => console.log(JSON.stringify(result))));

/** What the thread of {@link badThread} can be asked for: `say` and `environment` answer, all else never does. */
const code = `
import { parentPort } from 'node:worker_threads';
const kept = [];
const acts = {
  say: (text) => text,
  loop: () => { for (;;); },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  recurse: () => { const deeper = () => deeper() + 1; for (;;) try { deeper(); } catch {} },
  environment: () => Object.keys(process.env).join(),
  throw: () => { throw new Error('mine'); },
  exit: () => process.exit(),
  abort: () => process.abort(),
  objects: () => { for (;;) kept.push({ at: kept.length }); },
  numbers: () => { for (;;) kept.push(kept.length); },
  buffers: () => { for (;;) kept.push(Buffer.alloc(2 ** 26, 1)); },
  strings: () => { for (;;) kept.push(Buffer.alloc(2 ** 29 - 30, 120).toString('latin1').toUpperCase()); },
  flat: () => { for (let text = 'x'.repeat(2 ** 29 - 30); ; text += '') kept.push(text.replace(/x$/, 'y').split('')); },
  array: () => { for (;;) kept.push(new Array(2 ** 26).fill(1.5).slice()); },
  map: () => { for (const map = new Map(); ; ) map.set(map.size, map); },
  json: () => { for (;;) kept.push(JSON.parse('[' + '{},'.repeat(5e7) + '0]')); },
};
parentPort.on('message', ([act, ...args]) => parentPort.postMessage(acts[act](...args)));
`;

/** A file for a thread that does what it is asked for, however bad. */
export const badThread = new URL(`data:text/javascript,${encodeURIComponent(code)}`);

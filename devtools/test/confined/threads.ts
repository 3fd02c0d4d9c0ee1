/** What the thread of {@link badThread} can be asked for: `say` and `environment` answer, all else never does. */
const code = `
import { parentPort } from 'node:worker_threads';
const acts = {
  say: (text) => text,
  loop: () => { for (;;); },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  recurse: () => { const deeper = () => deeper() + 1; for (;;) try { deeper(); } catch {} },
  environment: () => Object.keys(process.env).join(),
  throw: () => { throw new Error('mine'); },
  exit: () => process.exit(),
  grow: () => { for (let last; ; ) last = { last }; },
};
parentPort.on('message', ([act, ...args]) => parentPort.postMessage(acts[act](...args)));
`;

/** A file for a thread that does what it is asked for, however bad. */
export const badThread = new URL(`data:text/javascript,${encodeURIComponent(code)}`);

import { createServer } from 'node:http';
import { nodeHandler } from '../../../src/adapters/node.js';
import {
  createReceiver,
  type Enqueue,
  NonRetryableError,
  type Receiver,
  type WebhookError,
} from '../../../src/index.js';
import type { ErrorContext } from '../../../src/receive/request.js';
import { idOfKey } from '../chain/keys.js';
import { AFTER_ATTEMPTS, failingOf, isRepaired } from '../letters.js';
import { DRAIN_MS, shutDownOnSigterm } from './shutdown.js';
import { answers, pass, settings, tell } from './steps.js';
import { openWork } from './stores.js';

const { mode, secret, handlerTimeoutMs } = settings;

/** An enqueue whose steps can trigger a fault. */
function watchedEnqueue(enqueue: Enqueue): Enqueue {
  const watched: Enqueue = async (entries, context) => {
    pass('before-effect');
    pass('after-check');
    const storing = enqueue(entries, context);
    pass('claim-answer');
    await storing;
    pass('after-effect');
    pass('before-record');
    pass('after-record');
  };
  // Such as `retentionMs`, which `reconcile` needs.
  return Object.assign(watched, enqueue);
}

/** Prints errors, to explain a broken invariant. */
function onError({ code, message, cause }: WebhookError, { idempotencyKey }: ErrorContext): void {
  tell({ code, id: idempotencyKey && idOfKey(idempotencyKey) });
  console.error(code, message, cause instanceof Error ? `${cause.message} ${Reflect.get(cause, 'code')}` : '');
}

const { finality } = mode;
const isReconciling = finality?.reconciledBy === 'receiver';
const work = mode.engine === undefined || isReconciling ? await openWork() : undefined;
// Loaded on demand, like the engines and what reconciles: they take longer to load than everything else.
const { identity } = finality ? await import('./finality.js') : {};

async function open(): Promise<Receiver> {
  const common = { secret, toleranceSeconds: 3000, handlerTimeoutMs, onError };
  if (mode.engine !== undefined) {
    const { openEnqueue } = await import('./engines.js');
    const enqueue = watchedEnqueue(await openEnqueue());
    return createReceiver({ ...common, enqueue, ...(identity && { idempotencyKey: identity }) });
  }
  if (work === undefined) throw new Error('The receiver has no store.');
  const { store } = work;
  const handle: typeof work.handle = (ids, context) => {
    if (mode.letters && !isRepaired(settings.marks)) {
      const failing = ids.map(failingOf);
      if (failing.includes('for good')) throw new NonRetryableError('No try succeeds.');
      if (failing.includes('each time')) throw new Error('This try fails.');
    }
    return work.handle(ids, context);
  };
  const deadLetters = mode.letters ? { afterAttempts: AFTER_ATTEMPTS, afterSeconds: 0 } : undefined;
  const own = { ...common, store, deadLetters };
  if (!mode.atOnce) return createReceiver({ ...own, onEvent: ({ id }, context) => handle([id], context) });
  return createReceiver({
    ...own,
    onEvents: (entries, context) =>
      handle(
        entries.map(({ event }) => event.id),
        context,
      ),
  });
}

const receiver = await open();
answers['letters?'] = async () => {
  const { letters } = await receiver.deadLetters.list({ limit: 1000 });
  return letters.map(({ idempotencyKey }) => idOfKey(idempotencyKey));
};
answers['retry!'] = () => receiver.deadLetters.retry({}).then(() => true);
let stopReconciling = async () => {};
if (isReconciling && work) {
  const { startReconciling } = await import('./reconciling.js');
  stopReconciling = startReconciling(work, receiver);
}
// Idle connections of the sender stay open.
const server = createServer({ keepAliveTimeout: 120_000 }, nodeHandler(receiver));
shutDownOnSigterm(
  async () => {
    const [drained] = await Promise.all([receiver.drain({ timeoutMs: DRAIN_MS }), stopReconciling()]);
    return drained;
  },
  () => new Promise((resolve) => server.close(resolve)),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tell({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});

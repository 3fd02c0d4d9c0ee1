import { createServer } from 'node:http';
import { nodeHandler } from '../../../src/adapters/node.js';
import type { ErrorContext, ReceiverOptions, WebhookError } from '../../../src/index.js';
import { inTransaction, onItsOwn } from './handler.js';
import { pass, ready, settings } from './steps.js';
import { leaseStore, transactionalStore } from './stores.js';

const { secret, handlerTimeoutMs } = settings;

/** A hand-off that can be died before and behind. */
function watched(handOff: NonNullable<ReceiverOptions['handOff']>): NonNullable<ReceiverOptions['handOff']> {
  return async (events, context) => {
    pass('before-effect');
    await handOff(events, context);
    pass('after-effect');
    pass('after-record');
  };
}

/** For what is printed when an invariant is broken. */
function onError({ code, message, cause }: WebhookError, { idempotencyKey }: ErrorContext): void {
  process.send?.({ code, key: idempotencyKey });
  console.error(code, message, cause instanceof Error ? `${cause.message} ${Reflect.get(cause, 'code')}` : '');
}

async function listener() {
  const common = { secret, toleranceSeconds: 3000, handlerTimeoutMs, onError };
  if (settings.engine !== undefined) {
    // Not before it is needed: the engines take longer to load than all the rest.
    const { openHandOff } = await import('./engines.js');
    return nodeHandler({ ...common, handOff: watched(await openHandOff()) });
  }
  if (settings.store !== 'transactional') return nodeHandler({ ...common, store: leaseStore(), onEvent: onItsOwn });
  return nodeHandler({ ...common, store: transactionalStore(), onEvent: inTransaction });
}

const server = createServer(await listener()).listen(0, '127.0.0.1', () => {
  const address = server.address();
  ready(typeof address === 'object' && address !== null ? address.port : 0);
});

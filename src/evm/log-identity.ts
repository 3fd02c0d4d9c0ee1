import { ConfigError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import { DecodeError } from './decode-error.js';
import { rawLog } from './raw-log.js';
import { isHash } from './wire-fields.js';

/**
 * Names the log of an event by what it is on the chain: `chainId:blockHash:transactionHash:logIndex`, and `:removed`
 * behind that for the notice that a re-org took the log back, which is an event of its own. It is a ready
 * `idempotencyKey`: a log that comes again, under whatever event id, has the same one; a transaction that a re-org put
 * into another block has another.
 *
 * Block, transaction and position come from `rawFields`, and without it from `data.transaction` and `indexInLog`. A
 * `transaction.included` has no log and gets its event id.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 * import { logIdentity } from 'event-webhook-receiver/evm';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   idempotencyKey: (event) => logIdentity(event, { chainId: 1 }),
 *   onEvent: (event) => console.log(event.id),
 * });
 * ```
 * @param options.chainId The chain, which an event does not name: a deployment of the service has one.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is malformed, or is absent beside an event that does not
 * say its block and transaction elsewhere; ConfigError `ERR_WEBHOOK_CONFIG` when the chain id is none.
 */
export function logIdentity(event: WebhookEvent, options: { readonly chainId: number | bigint }): string {
  const { chainId } = options;
  // A variable that is not set would change every key on the day that it is.
  if (!(typeof chainId === 'bigint' || Number.isSafeInteger(chainId)) || chainId <= 0) {
    throw new ConfigError('logIdentity needs a chainId above 0, such as 1 for Ethereum.');
  }
  if (event.event !== 'event.emitted') return event.id;
  const log = rawLog(event);
  if (log) {
    const identity = `${chainId}:${log.blockHash}:${log.transactionHash}:${log.logIndex}`;
    return log.removed ? `${identity}:removed` : identity;
  }
  const { transaction } = event.data;
  if (!transaction || !isHash(transaction.blockHash) || !isHash(transaction.txHash)) {
    throw new DecodeError(
      'ERR_WEBHOOK_RAW_FIELDS',
      event,
      'rawFields',
      'is absent, and no data.transaction with hashes is there instead, so nothing names the log. Use event.id for such events.',
    );
  }
  const hashes = `${transaction.blockHash}:${transaction.txHash}`.toLowerCase();
  return `${chainId}:${hashes}:${event.data.event.indexInLog}`;
}

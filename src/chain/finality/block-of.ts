import { WebhookError } from '../../errors.js';
import { isPosition } from '../../events/check-event.js';
import type { WebhookEvent } from '../../events/types.js';
import { isHash } from '../../evm/hex.js';
import { rawLog } from '../../evm/raw-log.js';
import type { Hex } from '../../evm/types.js';

/** The block that an event names, or the transaction whose receipt names it. */
export type Place = BlockPlace | TransactionPlace;

interface PlaceKey {
  /** Key of the place, for deduplicating requests. */
  readonly key: string;
  readonly isRemoval: boolean;
}

export interface BlockPlace extends PlaceKey {
  readonly number: number;
  readonly hash: Hex;
  /** The transaction whose receipt named the block. */
  readonly transaction?: Hex | undefined;
}

interface TransactionPlace extends PlaceKey {
  readonly number?: undefined;
  readonly hash?: undefined;
  readonly transaction: Hex;
}

/**
 * The block that an event names: in `rawFields`, else in `data.transaction`. A `transaction.included` names it in
 * `data`, or gives only its transaction hash.
 *
 * @throws WebhookError `ERR_WEBHOOK_RAW_FIELDS` when these fields are missing or malformed.
 */
export function placeOf(event: WebhookEvent): Place {
  if (event.event === 'transaction.included') {
    const { blockHash, blockNumber, tx } = event.data;
    if (isHash(blockHash) && isPosition(blockNumber)) return blockAt(blockNumber, blockHash, false);
    const hash = tx?.hash;
    if (!isHash(hash)) return fail('`data` has neither `blockHash` and `blockNumber` nor `tx.hash`');
    const transaction = hash.toLowerCase() as Hex;
    return { key: transaction, transaction, isRemoval: false };
  }
  const log = rawLog(event);
  if (log) {
    const number = Number(log.blockNumber);
    return isPosition(number)
      ? blockAt(number, log.blockHash, log.removed)
      : fail('the number of its block is too large');
  }
  const { blockHash, blockNumber } = event.data.transaction ?? {};
  if (isHash(blockHash) && isPosition(blockNumber)) return blockAt(blockNumber, blockHash, false);
  return fail('`rawFields` is absent, and `data.transaction` has no `blockHash` and `blockNumber`');
}

function blockAt(number: number, hash: Hex, isRemoval: boolean): Place {
  const lower = hash.toLowerCase() as Hex;
  return { key: `${isRemoval ? '-' : ''}${number}:${lower}`, number, hash: lower, isRemoval };
}

function fail(why: string): never {
  throw new WebhookError(
    'ERR_WEBHOOK_RAW_FIELDS',
    `Cannot determine whether the event is final: ${why}. Report it to the service, or handle such events with a receiver without \`finality\`.`,
  );
}

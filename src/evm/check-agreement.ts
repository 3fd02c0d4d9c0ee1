import type { EventEmitted, EventInput } from '../events/types.js';
import { canonical } from './choose-item.js';
import { DecodeError } from './decode-error.js';
import type { EventItem } from './event-item.js';
import { alignInputs, hasType } from './inputs.js';
import type { RawLog } from './types.js';

/** A signature without names and tuples; one that is written otherwise is not compared, as the topic is its hash. */
const PLAIN = /^[\w$]+\((?!.*tuple)[\w[\],]*\)$/;

/**
 * Holds an event against the log it came with, whose arguments have been decoded. A value may be what the conversions of
 * the service make of it, as of an amount by a token's decimals; all else that is looked at has to be the same.
 *
 * @throws DecodeError `ERR_WEBHOOK_CONTRADICTION` when something is not.
 */
export function checkAgreement(event: EventEmitted, item: EventItem, log: RawLog, values: readonly unknown[]): void {
  const { name, signature, contract } = event.data.event;
  function differs(input: string, from: string): never {
    const reason = `is not what ${from} says, so one of the two is wrong and nothing was decoded. Report it to the service.`;
    throw new DecodeError('ERR_WEBHOOK_CONTRADICTION', event, input, reason);
  }
  if (name !== item.name) differs('name', 'rawFields.topics');
  if (signature !== item.signature && isOther(canonical(signature), item)) differs('signature', 'rawFields.topics');
  if (contract.address.toLowerCase() !== log.address) differs('contract.address', 'rawFields.address');
  // The block is not compared: the transaction may have been looked up after a re-org had moved it. Nor is indexInLog,
  // which the spec does not say to be that of the block.
  const hash = event.data.transaction?.txHash;
  if (hash !== undefined && hash.toLowerCase() !== log.transactionHash)
    differs('transaction.txHash', 'rawFields.transactionHash');

  const inputs = alignInputs(event.data.event, item);
  if (typeof inputs === 'string') differs('inputs', item.signature);
  for (const [at, input] of item.inputs.entries()) {
    const wire = inputs[at] as EventInput;
    if (!hasType(wire.type, input)) differs(`type of ${input.label}`, 'the ABI');
    const agrees = input.isHashed ? isSameHash(values[at], wire.value) : input.codec.agrees(values[at], wire.value);
    if (!agrees || wire.hashed !== input.isHashed) differs(input.label, 'the log in rawFields');
  }
}

function isOther(written: string, { name, signature }: EventItem): boolean {
  return (written !== signature && PLAIN.test(written)) || written.split('(')[0] !== name;
}

function isSameHash(hash: unknown, wire: unknown): boolean {
  return typeof wire === 'string' && wire.toLowerCase() === hash;
}

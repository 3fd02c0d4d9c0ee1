import type { ContractEvent, EventEmitted, EventInput } from '../events/types.js';
import type { EventItem, ItemInput } from './abi-items.js';
import { canonical, isSameName } from './choose-event.js';
import { DecodeError, Problem } from './decode-error.js';
import { isHash } from './hex.js';
import type { RawLog } from './types.js';

/**
 * The inputs of an event in the order of the ABI: by their names where these are those of the ABI, else by position.
 * Gives what is wrong where neither holds.
 */
export function alignInputs({ inputs }: ContractEvent, item: EventItem): readonly EventInput[] | string {
  if (inputs.length !== item.inputs.length)
    return `${inputs.length} inputs came, and the ABI has ${item.inputs.length}.`;
  if (inputs.every(({ name }, at) => item.inputs[at]?.name === name)) return inputs;
  const positions = inputs.map(({ name }) => (name === '' ? undefined : item.positions.get(name)));
  if (item.isNamed && new Set(positions).size === inputs.length && !positions.includes(undefined)) {
    return item.inputs.map((_, at) => inputs[positions.indexOf(at)] as EventInput);
  }
  // Other names are no matter, but one that the ABI has in another place is.
  if (positions.every((position, at) => position === undefined || position === at)) return inputs;
  return 'the names of the inputs are in other places than in the ABI.';
}

/** Whether the type of an input is that of the ABI, in any way that it may be written. */
export function hasType(type: string, { codec, isHashed }: ItemInput): boolean {
  if (type === codec.type) return true;
  const written = type.replace(/\s+/g, '');
  if (written === codec.type || (isHashed && written === 'bytes32')) return true;
  // Anything longer is another type, and a regular expression cannot read some MB of it.
  if (written.length > codec.type.length + 'tuple'.length) return false;
  const [, components, suffix] = /^(?:tuple)?(\(.*\))?((?:\[\d*\])*)$/s.exec(written) ?? [];
  if (suffix === undefined) return /^u?int(?=\[|$)/.test(written) && written.replace('int', 'int256') === codec.type;
  if (components !== undefined) return components + suffix === codec.type;
  return (
    written.startsWith('tuple') &&
    codec.type.startsWith('(') &&
    codec.type.slice(codec.type.lastIndexOf(')') + 1) === suffix
  );
}

const OTHER_NAME =
  'has another name than in the ABI, and without rawFields nothing else tells events of one signature apart. Give the ABI that the service has.';

/**
 * Reads the arguments of an event without `rawFields` from its inputs, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_INPUT_VALUE` when one is not exactly a value of its type.
 */
export function decodeInputs(event: EventEmitted, item: EventItem): unknown[] {
  const inputs = alignInputs(event.data.event, item);
  if (typeof inputs === 'string')
    throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, 'inputs', `do not fit ${item.signature}: ${inputs}`);
  return item.inputs.map((input, at) => {
    const wire = inputs[at] as EventInput;
    const fail = (path: string, reason: string): never => {
      throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, input.label + path, reason);
    };
    if (!isSameName(input.name, wire.name)) fail('', OTHER_NAME);
    if (!hasType(wire.type, input)) fail('', `has another type than in the ABI, where it is ${input.codec.type}.`);
    if (wire.hashed !== input.isHashed) {
      fail(
        '',
        `is ${wire.hashed ? '' : 'not '}hashed, and by the ABI it should ${input.isHashed ? '' : 'not '}be. Is it indexed in the contract?`,
      );
    }
    try {
      if (!input.isHashed) return input.codec.fromWire(wire.value);
      if (isHash(wire.value)) return wire.value.toLowerCase();
      throw new Problem('is no hash: 0x and 64 hex digits.');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return fail(error.path, error.message);
    }
  });
}

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

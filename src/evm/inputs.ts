import type { EventDetails, EventEmitted, EventInput } from '../events/types.js';
import type { AbiEventItem, ItemInput } from './abi-items.js';
import { canonical, isSameName } from './choose-event.js';
import { DecodeError, Problem } from './decode-error.js';
import { isHash } from './hex.js';
import type { RawLog } from './types.js';

/**
 * Puts an event's inputs in ABI order: by name if the names match, otherwise by position. Returns the reason as text if
 * neither is possible.
 */
function alignInputs({ inputs }: EventDetails, item: AbiEventItem): readonly EventInput[] | string {
  if (inputs.length !== item.inputs.length)
    return `the event has ${inputs.length} inputs, the ABI ${item.inputs.length}.`;
  if (inputs.every(({ name }, at) => item.inputs[at]?.name === name)) return inputs;
  const positions = inputs.map(({ name }) => (name === '' ? undefined : item.positions.get(name)));
  if (item.isNamed && new Set(positions).size === inputs.length && !positions.includes(undefined)) {
    return item.inputs.map((_, at) => inputs[positions.indexOf(at)] as EventInput);
  }
  // Unknown names are accepted, but not a name that the ABI has at another position.
  if (positions.every((position, at) => position === undefined || position === at)) return inputs;
  return 'the inputs have names that the ABI has at other positions.';
}

/** Whether an input's type is equivalent to the ABI's. */
function hasType(type: string, { codec, isHashed }: ItemInput): boolean {
  if (type === codec.type) return true;
  const written = type.replace(/\s+/g, '');
  if (written === codec.type || (isHashed && written === 'bytes32')) return true;
  // Longer text is a different type, and may be too long for a regular expression.
  if (written.length > codec.type.length + 'tuple'.length) return false;
  const [, components, suffix] = /^tuple(\(.*\))?((?:\[\d*\])*)$/s.exec(written) ?? [];
  if (suffix === undefined) return /^u?int(?=\[|$)/.test(written) && written.replace('int', 'int256') === codec.type;
  if (components !== undefined) return components + suffix === codec.type;
  // For a type that is not a tuple, this is the whole text, which never equals a suffix.
  return codec.type.slice(codec.type.lastIndexOf(')') + 1) === suffix;
}

const OTHER_NAME =
  'has a different name in the ABI, and without rawFields only names distinguish events with the same signature. Pass the ABI that the service uses.';

/**
 * Reads the arguments of an event without `rawFields` from its inputs, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_INPUT_VALUE` when an input is not an exact value of its type.
 */
export function decodeInputs(event: EventEmitted, item: AbiEventItem): unknown[] {
  const inputs = alignInputs(event.data.event, item);
  if (typeof inputs === 'string')
    throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, 'inputs', `do not match ${item.signature}: ${inputs}`);
  return item.inputs.map((input, at) => {
    const wire = inputs[at] as EventInput;
    const fail = (path: string, reason: string): never => {
      throw new DecodeError('ERR_WEBHOOK_INPUT_VALUE', event, input.label + path, reason);
    };
    if (!isSameName(input.name, wire.name)) fail('', OTHER_NAME);
    if (!hasType(wire.type, input)) fail('', `must be of type ${input.codec.type}, as in the ABI.`);
    if (wire.hashed !== input.isHashed) {
      fail(
        '',
        `is ${wire.hashed ? '' : 'not '}hashed, but the ABI ${input.isHashed ? 'declares' : 'does not declare'} it as indexed. Pass the ABI of the contract.`,
      );
    }
    try {
      if (!input.isHashed) return input.codec.fromWire(wire.value);
      if (isHash(wire.value)) return wire.value.toLowerCase();
      throw new Problem('must be a hash: 0x and 64 hex digits.');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return fail(error.path, error.message + error.advice);
    }
  });
}

/** A signature without names and tuples. Other notations are not compared, because the topic contains the hash. */
const PLAIN = /^[\w$]+\((?!.*tuple)[\w[\],]*\)$/;

/**
 * Compares an event with the decoded arguments of its log. A value may be a conversion by the service, such as an amount
 * in a token's decimals; everything else must be equal.
 *
 * @throws DecodeError `ERR_WEBHOOK_CONTRADICTION` when they differ.
 */
export function checkAgreement(event: EventEmitted, item: AbiEventItem, log: RawLog, values: readonly unknown[]): void {
  const { name, signature, contract } = event.data.event;
  function differs(input: string, from: string): never {
    const reason = `contradicts ${from}, so one of them is wrong and nothing was decoded. Report it to the service.`;
    throw new DecodeError('ERR_WEBHOOK_CONTRADICTION', event, input, reason);
  }
  if (name !== item.name) differs('name', 'rawFields.topics');
  if (signature !== item.signature && isOther(canonical(signature), item)) differs('signature', 'rawFields.topics');
  if (contract.address.toLowerCase() !== log.address) differs('contract.address', 'rawFields.address');
  // The block is not compared: the service may look up the transaction after a re-org moved it. Nor is indexInLog, which
  // the spec does not define as the position in the block.
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

function isOther(written: string, { name, signature }: AbiEventItem): boolean {
  return (written !== signature && PLAIN.test(written)) || written.split('(')[0] !== name;
}

function isSameHash(hash: unknown, wire: unknown): boolean {
  return typeof wire === 'string' && wire.toLowerCase() === hash;
}

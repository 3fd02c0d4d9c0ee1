import type { EventIssue } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import { isJsonValue, MOST_LEVELS } from './exact-json.js';

// The wire format of spec section 2.2. Checks complete objects in place, and set optional fields that cannot be read to undefined.

/** So that issues take less memory than the items that they are about. */
const MOST_ISSUES = 10;

/** The only issue of an item that is nested too deep. */
export const TOO_DEEP: EventIssue = { path: [], message: `nested deeper than ${MOST_LEVELS} levels` };

type Fields = Record<string, unknown>;

/** Checks the fields of an object. */
export type Check = (fields: Fields, found: Findings) => void;

/** Collects the first 10 issues of a value. */
class Findings {
  readonly issues: EventIssue[] = [];

  expect(isMet: boolean, message: string, ...path: string[]): void {
    if (!isMet && this.issues.length < MOST_ISSUES) this.issues.push({ path, message });
  }

  text(value: unknown, key: string): void {
    if (typeof value !== 'string') this.expect(false, 'expected a string', key);
  }

  position(value: unknown, key: string): void {
    if (!isPosition(value)) this.expect(false, 'expected a whole number from 0 up', key);
  }

  object(value: unknown, check: Check): void {
    if (isRecord(value)) check(value, this);
    else this.expect(false, 'expected an object');
  }

  within(value: unknown, check: Check, key: string | number): void {
    const before = this.issues.length;
    this.object(value, check);
    this.#prefix(before, key);
  }

  each(values: unknown, check: Check, key: string): void {
    const before = this.issues.length;
    if (Array.isArray(values)) {
      for (let at = 0; at < values.length; at++) this.within(values[at], check, at);
    } else this.expect(false, 'expected an array');
    this.#prefix(before, key);
  }

  /** Paths are put together only when there is an issue. */
  #prefix(from: number, key: string | number): void {
    for (let at = from; at < this.issues.length; at++) {
      const { path, message } = this.issues[at] as EventIssue;
      this.issues[at] = { path: [key, ...path], message };
    }
  }
}

/** The first 10 reasons why a value does not pass a check. */
export function issuesOf(value: unknown, check: Check): readonly EventIssue[] {
  const found = new Findings();
  found.object(value, check);
  return found.issues;
}

/** Whether a value is a position or a count: a non-negative whole number. */
export function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks an `event.emitted`. */
export function checkEmitted({ id, event, data }: Fields, found: Findings): void {
  checkId(id, found);
  found.expect(event === 'event.emitted', 'expected "event.emitted"', 'event');
  found.within(data, checkData, 'data');
}

/** Checks a `transaction.included`, whose payload is open. */
export function checkIncluded({ id, event, data }: Fields, found: Findings): void {
  checkId(id, found);
  found.expect(event === 'transaction.included', 'expected "transaction.included"', 'event');
  found.expect(isRecord(data), 'expected an object', 'data');
}

/** Checks an event of either kind. */
export function checkKnown(event: Fields, found: Findings): void {
  if (event.event === 'event.emitted') checkEmitted(event, found);
  else if (event.event === 'transaction.included') checkIncluded(event, found);
  else found.expect(false, 'expected "event.emitted" or "transaction.included"', 'event');
}

/** Checks an item of another kind. */
export function checkUnknown({ id, event }: Fields, found: Findings): void {
  found.text(id, 'id');
  found.text(event, 'event');
}

function checkId(id: unknown, found: Findings): void {
  found.expect(typeof id === 'string' && id !== '', 'expected a string that is not empty', 'id');
}

function checkData(data: Fields, found: Findings): void {
  found.text(data.triggeredAt, 'triggeredAt');
  found.within(data.event, checkDetails, 'event');
  if (!isOptional(data.transaction, checkTransaction)) data.transaction = undefined;
}

/** Checks `data.event`. */
function checkDetails(details: Fields, found: Findings): void {
  checkCall(details, found, checkInput);
  if (details.rawFields !== undefined) found.text(details.rawFields, 'rawFields');
  found.within(details.contract, checkContract, 'contract');
  found.position(details.indexInLog, 'indexInLog');
}

function checkCall(call: Fields, found: Findings, check: Check): void {
  // Go writes null for nil.
  if (call.inputs === null) call.inputs = [];
  if (call.rawFields === null) delete call.rawFields;
  found.text(call.name, 'name');
  found.text(call.signature, 'signature');
  found.each(call.inputs, check, 'inputs');
}

/** Checks an item of `data.event.inputs`. */
function checkInput(input: Fields, found: Findings): void {
  checkMethodInput(input, found);
  found.expect(typeof input.hashed === 'boolean', 'expected true or false', 'hashed');
}

function checkMethodInput({ name, value, type }: Fields, found: Findings): void {
  found.text(name, 'name');
  found.expect(isJsonValue(value), 'expected an exact JSON value', 'value');
  found.text(type, 'type');
}

/** Checks `data.event.contract`. */
function checkContract(contract: Fields, found: Findings): void {
  const { addressLabel, addressAlias } = contract;
  contract.addressLabel = addressLabel ?? (typeof addressAlias === 'string' ? addressAlias : '');
  found.text(contract.address, 'address');
  found.text(contract.addressLabel, 'addressLabel');
  if (!isOptionalText(addressAlias)) contract.addressAlias = undefined;
  found.text(contract.name, 'name');
  found.text(contract.label, 'label');
}

/** Checks `data.transaction`, which the live service sends and the spec lacks. */
function checkTransaction(transaction: Fields, found: Findings): void {
  const { from, txData, txIndexInBlock, contract, method } = transaction;
  if (!isOptionalText(from)) transaction.from = undefined;
  if (!isOptionalText(txData)) transaction.txData = undefined;
  found.text(transaction.txHash, 'txHash');
  if (txIndexInBlock != null && !isPosition(txIndexInBlock)) transaction.txIndexInBlock = undefined;
  found.text(transaction.blockHash, 'blockHash');
  found.position(transaction.blockNumber, 'blockNumber');
  if (!isOptional(contract, checkContract)) transaction.contract = undefined;
  if (!isOptional(method, checkMethod)) transaction.method = undefined;
}

function checkMethod(method: Fields, found: Findings): void {
  checkCall(method, found, checkMethodInput);
}

const isOptionalText = (value: unknown) => value == null || typeof value === 'string';

const isOptional = (value: unknown, check: Check) => value == null || issuesOf(value, check).length === 0;

// Generated from schemas.ts by `npm run generate`: edit that file, not this one.
import type { EventIssue } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import { dropNil, fillAddressLabel, isInputValue, isPayload, isPosition } from './field-rules.js';

const M0 = 'expected a string that is not empty';
const M1 = 'expected "event.emitted"';
const M2 = 'expected a string';
const M3 = 'expected an exact JSON value';
const M4 = 'expected true or false';
const M5 = 'expected an object';
const M6 = 'expected a whole number from 0 up';
const M7 = 'expected "transaction.included"';
const M8 = 'expected an array';
/** So that issues take less memory than the items that they are about. */
const MOST_ISSUES = 10;
type Check = (given: unknown, issues: EventIssue[]) => void;
function fail(issues: EventIssue[], message: string, ...path: string[]): void {
  if (issues.length < MOST_ISSUES) issues.push({ path, message });
}
function within(check: Check, value: unknown, issues: EventIssue[], key: string | number): void {
  const before = issues.length;
  check(value, issues);
  prefix(issues, before, key);
}
function withinAll(check: Check, values: unknown, issues: EventIssue[], key: string): void {
  const before = issues.length;
  if (!Array.isArray(values)) fail(issues, M8);
  else
    for (let index = 0; index < values.length && issues.length < MOST_ISSUES; index++)
      within(check, values[index], issues, index);
  prefix(issues, before, key);
}
/** Drops a field that cannot be read, and what was found wrong with it. */
function forget(issues: EventIssue[], before: number, value: Record<string, unknown>, key: string): void {
  if (issues.length === before) return;
  issues.length = before;
  value[key] = undefined;
}
/** Paths are put together only when there is something to say. */
function prefix(issues: EventIssue[], from: number, key: string | number): void {
  for (let at = from; at < issues.length; at++) {
    const { path, message } = issues[at] as EventIssue;
    // An array that grows takes three times the memory.
    issues[at] = { path: [key, ...path], message };
  }
}
/** Adds to `issues` what keeps a value from being of the kind EventEmitted; fills in each `addressLabel`. */
export function checkEventEmitted(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, M0, 'id');
    if (!(value.event === 'event.emitted')) fail(issues, M1, 'event');
    within(check1, value.data, issues, 'data');
  } else fail(issues, M5);
}
function check1(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.triggeredAt === 'string')) fail(issues, M2, 'triggeredAt');
    within(check2, value.event, issues, 'event');
    {
      const before = issues.length;
      if (value.transaction != null) {
        within(check5, value.transaction, issues, 'transaction');
      }
      forget(issues, before, value, 'transaction');
    }
  } else fail(issues, M5);
}
function check2(given: unknown, issues: EventIssue[]): void {
  const value = dropNil(given);
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
    if (!(typeof value.signature === 'string')) fail(issues, M2, 'signature');
    withinAll(check3, value.inputs, issues, 'inputs');
    if (value.rawFields !== undefined) {
      if (!(typeof value.rawFields === 'string')) fail(issues, M2, 'rawFields');
    }
    within(check4, value.contract, issues, 'contract');
    if (!isPosition(value.indexInLog)) fail(issues, M6, 'indexInLog');
  } else fail(issues, M5);
}
function check3(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
    if (!isInputValue(value.value)) fail(issues, M3, 'value');
    if (!(typeof value.hashed === 'boolean')) fail(issues, M4, 'hashed');
    if (!(typeof value.type === 'string')) fail(issues, M2, 'type');
  } else fail(issues, M5);
}
function check4(given: unknown, issues: EventIssue[]): void {
  const value = fillAddressLabel(given);
  if (isRecord(value)) {
    if (!(typeof value.address === 'string')) fail(issues, M2, 'address');
    if (!(typeof value.addressLabel === 'string')) fail(issues, M2, 'addressLabel');
    {
      const before = issues.length;
      if (value.addressAlias != null) {
        if (!(typeof value.addressAlias === 'string')) fail(issues, M2, 'addressAlias');
      }
      forget(issues, before, value, 'addressAlias');
    }
    if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
    if (!(typeof value.label === 'string')) fail(issues, M2, 'label');
  } else fail(issues, M5);
}
function check5(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    {
      const before = issues.length;
      if (value.from != null) {
        if (!(typeof value.from === 'string')) fail(issues, M2, 'from');
      }
      forget(issues, before, value, 'from');
    }
    {
      const before = issues.length;
      if (value.txData != null) {
        if (!(typeof value.txData === 'string')) fail(issues, M2, 'txData');
      }
      forget(issues, before, value, 'txData');
    }
    if (!(typeof value.txHash === 'string')) fail(issues, M2, 'txHash');
    {
      const before = issues.length;
      if (value.txIndexInBlock != null) {
        if (!isPosition(value.txIndexInBlock)) fail(issues, M6, 'txIndexInBlock');
      }
      forget(issues, before, value, 'txIndexInBlock');
    }
    if (!(typeof value.blockHash === 'string')) fail(issues, M2, 'blockHash');
    if (!isPosition(value.blockNumber)) fail(issues, M6, 'blockNumber');
    {
      const before = issues.length;
      if (value.contract != null) {
        within(check4, value.contract, issues, 'contract');
      }
      forget(issues, before, value, 'contract');
    }
    {
      const before = issues.length;
      if (value.method != null) {
        within(check6, value.method, issues, 'method');
      }
      forget(issues, before, value, 'method');
    }
  } else fail(issues, M5);
}
function check6(given: unknown, issues: EventIssue[]): void {
  const value = dropNil(given);
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
    if (!(typeof value.signature === 'string')) fail(issues, M2, 'signature');
    withinAll(check7, value.inputs, issues, 'inputs');
  } else fail(issues, M5);
}
function check7(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
    if (!isInputValue(value.value)) fail(issues, M3, 'value');
    if (!(typeof value.type === 'string')) fail(issues, M2, 'type');
  } else fail(issues, M5);
}
/** Adds to `issues` what keeps a value from being of the kind TransactionIncluded; fills in each `addressLabel`. */
export function checkTransactionIncluded(given: unknown, issues: EventIssue[]): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, M0, 'id');
    if (!(value.event === 'transaction.included')) fail(issues, M7, 'event');
    if (!isPayload(value.data)) fail(issues, M5, 'data');
  } else fail(issues, M5);
}

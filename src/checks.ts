// Generated from schema.ts by `npm run generate`: edit that file, not this one.
import type { EventIssue } from './errors.js';
import { fillAddressLabel, isInputValue, isPayload, isPosition, isRecord } from './values.js';

const M0 = 'expected a string that is not empty';
const M1 = 'expected "event.emitted"';
const M2 = 'expected a string';
const M3 = 'expected an exact JSON value';
const M4 = 'expected true or false';
const M5 = 'expected an object';
const M6 = 'expected a whole number from 0 up';
const M7 = 'expected "transaction.included"';
const M8 = 'expected an array';
const MOST_ISSUES = 100;
/** Takes a path as text, to be taken apart only here: keys after points, and `*` for the place in the array. */
function fail(issues: EventIssue[], at: string, message: string, index = 0): void {
  if (issues.length === MOST_ISSUES) return;
  const path = at
    .split('.')
    .slice(1)
    .map((key) => (key === '*' ? index : key));
  issues.push({ path, message });
}
function checkAll(check: typeof checkEventEmitted, values: unknown, issues: EventIssue[], at: string): void {
  if (!Array.isArray(values)) {
    fail(issues, at, M8);
    return;
  }
  const each = `${at}.*`;
  for (let index = 0; index < values.length; index++) check(values[index], issues, each, index);
}
/** Adds to `issues` what keeps a value from being of the kind EventEmitted; fills in each `addressLabel`. */
export function checkEventEmitted(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, `${at}.id`, M0);
    if (!(value.event === 'event.emitted')) fail(issues, `${at}.event`, M1);
    check1(value.data, issues, `${at}.data`);
  } else fail(issues, at, M5, index);
}
function check1(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.triggeredAt === 'string')) fail(issues, `${at}.triggeredAt`, M2);
    check2(value.event, issues, `${at}.event`);
    if (value.transaction != null) {
      check5(value.transaction, issues, `${at}.transaction`);
    }
  } else fail(issues, at, M5, index);
}
function check2(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, `${at}.name`, M2);
    if (!(typeof value.signature === 'string')) fail(issues, `${at}.signature`, M2);
    checkAll(check3, value.inputs, issues, `${at}.inputs`);
    if (value.rawFields !== undefined) {
      if (!(typeof value.rawFields === 'string')) fail(issues, `${at}.rawFields`, M2);
    }
    check4(value.contract, issues, `${at}.contract`);
    if (!isPosition(value.indexInLog)) fail(issues, `${at}.indexInLog`, M6);
  } else fail(issues, at, M5, index);
}
function check3(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, `${at}.name`, M2, index);
    if (!isInputValue(value.value)) fail(issues, `${at}.value`, M3, index);
    if (!(typeof value.hashed === 'boolean')) fail(issues, `${at}.hashed`, M4, index);
    if (!(typeof value.type === 'string')) fail(issues, `${at}.type`, M2, index);
  } else fail(issues, at, M5, index);
}
function check4(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = fillAddressLabel(given);
  if (isRecord(value)) {
    if (!(typeof value.address === 'string')) fail(issues, `${at}.address`, M2);
    if (!(typeof value.addressLabel === 'string')) fail(issues, `${at}.addressLabel`, M2);
    if (value.addressAlias !== undefined) {
      if (!(typeof value.addressAlias === 'string')) fail(issues, `${at}.addressAlias`, M2);
    }
    if (!(typeof value.name === 'string')) fail(issues, `${at}.name`, M2);
    if (!(typeof value.label === 'string')) fail(issues, `${at}.label`, M2);
  } else fail(issues, at, M5, index);
}
function check5(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.from === 'string')) fail(issues, `${at}.from`, M2);
    if (!(typeof value.txData === 'string')) fail(issues, `${at}.txData`, M2);
    if (!(typeof value.txHash === 'string')) fail(issues, `${at}.txHash`, M2);
    if (!isPosition(value.txIndexInBlock)) fail(issues, `${at}.txIndexInBlock`, M6);
    if (!(typeof value.blockHash === 'string')) fail(issues, `${at}.blockHash`, M2);
    if (!isPosition(value.blockNumber)) fail(issues, `${at}.blockNumber`, M6);
    if (value.contract != null) {
      check4(value.contract, issues, `${at}.contract`);
    }
    if (value.method != null) {
      check6(value.method, issues, `${at}.method`);
    }
  } else fail(issues, at, M5, index);
}
function check6(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, `${at}.name`, M2);
    if (!(typeof value.signature === 'string')) fail(issues, `${at}.signature`, M2);
    checkAll(check7, value.inputs, issues, `${at}.inputs`);
  } else fail(issues, at, M5, index);
}
function check7(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.name === 'string')) fail(issues, `${at}.name`, M2, index);
    if (!isInputValue(value.value)) fail(issues, `${at}.value`, M3, index);
    if (!(typeof value.type === 'string')) fail(issues, `${at}.type`, M2, index);
  } else fail(issues, at, M5, index);
}
/** Adds to `issues` what keeps a value from being of the kind TransactionIncluded; fills in each `addressLabel`. */
export function checkTransactionIncluded(given: unknown, issues: EventIssue[], at = '', index?: number): void {
  const value = given;
  if (isRecord(value)) {
    if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, `${at}.id`, M0);
    if (!(value.event === 'transaction.included')) fail(issues, `${at}.event`, M7);
    if (!isPayload(value.data)) fail(issues, `${at}.data`, M5);
  } else fail(issues, at, M5, index);
}

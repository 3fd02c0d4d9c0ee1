// Generated from schemas.ts by `npm run generate`: edit that file, not this one.
import type { EventIssue } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import { dropNil, fillAddressLabel, isInputValue, isPosition } from './field-rules.js';

const M0 = 'expected a string that is not empty';
const M1 = 'expected "event.emitted"';
const M2 = 'expected a string';
const M3 = 'expected an exact JSON value';
const M4 = 'expected true or false';
const M5 = 'expected a whole number from 0 up';
const M6 = 'expected "transaction.included"';
const M7 = 'expected an object';
const M8 = 'expected an array';
/** So that issues take less memory than the items that they are about. */
const MOST_ISSUES = 10;
type Check = (value: Record<string, unknown>, issues: EventIssue[]) => void;
function fail(issues: EventIssue[], message: string, ...path: string[]): void {
  if (issues.length < MOST_ISSUES) issues.push({ path, message });
}
function run(check: Check, value: unknown, issues: EventIssue[]): void {
  if (isRecord(value)) check(value, issues);
  else fail(issues, M7);
}
function within(check: Check, value: unknown, issues: EventIssue[], key: string | number): void {
  const before = issues.length;
  run(check, value, issues);
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
function passes(check: Check, value: unknown): boolean {
  const issues: EventIssue[] = [];
  run(check, value, issues);
  return issues.length === 0;
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
export function checkEventEmitted(value: unknown, issues: EventIssue[]): void {
  run(check0, value, issues);
}
/** Adds to `issues` what keeps a value from being of the kind TransactionIncluded; fills in each `addressLabel`. */
export function checkTransactionIncluded(value: unknown, issues: EventIssue[]): void {
  run(check8, value, issues);
}
function check0(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, M0, 'id');
  if (!(value.event === 'event.emitted')) fail(issues, M1, 'event');
  within(check1, value.data, issues, 'data');
}
function check1(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (!(typeof value.triggeredAt === 'string')) fail(issues, M2, 'triggeredAt');
  within(check2, value.event, issues, 'event');
  if (value.transaction != null && !passes(check5, value.transaction)) value.transaction = undefined;
}
function check2(value: Record<string, unknown>, issues: EventIssue[]): void {
  dropNil(value);
  if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
  if (!(typeof value.signature === 'string')) fail(issues, M2, 'signature');
  withinAll(check3, value.inputs, issues, 'inputs');
  if (value.rawFields !== undefined) {
    if (!(typeof value.rawFields === 'string')) fail(issues, M2, 'rawFields');
  }
  within(check4, value.contract, issues, 'contract');
  if (!isPosition(value.indexInLog)) fail(issues, M5, 'indexInLog');
}
function check3(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
  if (!isInputValue(value.value)) fail(issues, M3, 'value');
  if (!(typeof value.hashed === 'boolean')) fail(issues, M4, 'hashed');
  if (!(typeof value.type === 'string')) fail(issues, M2, 'type');
}
function check4(value: Record<string, unknown>, issues: EventIssue[]): void {
  fillAddressLabel(value);
  if (!(typeof value.address === 'string')) fail(issues, M2, 'address');
  if (!(typeof value.addressLabel === 'string')) fail(issues, M2, 'addressLabel');
  if (value.addressAlias != null && !(typeof value.addressAlias === 'string')) value.addressAlias = undefined;
  if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
  if (!(typeof value.label === 'string')) fail(issues, M2, 'label');
}
function check5(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (value.from != null && !(typeof value.from === 'string')) value.from = undefined;
  if (value.txData != null && !(typeof value.txData === 'string')) value.txData = undefined;
  if (!(typeof value.txHash === 'string')) fail(issues, M2, 'txHash');
  if (value.txIndexInBlock != null && !isPosition(value.txIndexInBlock)) value.txIndexInBlock = undefined;
  if (!(typeof value.blockHash === 'string')) fail(issues, M2, 'blockHash');
  if (!isPosition(value.blockNumber)) fail(issues, M5, 'blockNumber');
  if (value.contract != null && !passes(check4, value.contract)) value.contract = undefined;
  if (value.method != null && !passes(check6, value.method)) value.method = undefined;
}
function check6(value: Record<string, unknown>, issues: EventIssue[]): void {
  dropNil(value);
  if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
  if (!(typeof value.signature === 'string')) fail(issues, M2, 'signature');
  withinAll(check7, value.inputs, issues, 'inputs');
}
function check7(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (!(typeof value.name === 'string')) fail(issues, M2, 'name');
  if (!isInputValue(value.value)) fail(issues, M3, 'value');
  if (!(typeof value.type === 'string')) fail(issues, M2, 'type');
}
function check8(value: Record<string, unknown>, issues: EventIssue[]): void {
  if (!(typeof value.id === 'string' && value.id !== '')) fail(issues, M0, 'id');
  if (!(value.event === 'transaction.included')) fail(issues, M6, 'event');
  if (!isRecord(value.data)) fail(issues, M7, 'data');
}

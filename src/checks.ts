// Generated from schema.ts by `npm run generate`: edit that file, not this one.
import type { EventIssue } from './errors.js';
import { fillAddressLabel, isInputValue, isPayload, isRecord } from './values.js';

const MOST_ISSUES = 100;
function fail(issues: EventIssue[], path: EventIssue['path'], message: string): void {
  if (issues.length < MOST_ISSUES) issues.push({ path, message });
}
/** Adds to `issues` what keeps `event` from being of the kind EventEmitted; fills in each `addressLabel`. */
export function checkEventEmitted(event: unknown, issues: EventIssue[]): void {
  if (!isRecord(event)) fail(issues, [], 'expected an object');
  else {
    const v1 = event.id;
    if (!(typeof v1 === 'string' && v1 !== '')) fail(issues, ['id'], 'expected a string that is not empty');
    const v2 = event.event;
    if (!(v2 === 'event.emitted')) fail(issues, ['event'], 'expected "event.emitted"');
    const v3 = event.data;
    if (!isRecord(v3)) fail(issues, ['data'], 'expected an object');
    else {
      const v4 = v3.triggeredAt;
      if (!(typeof v4 === 'string')) fail(issues, ['data', 'triggeredAt'], 'expected a string');
      const v5 = v3.event;
      if (!isRecord(v5)) fail(issues, ['data', 'event'], 'expected an object');
      else {
        const v6 = v5.name;
        if (!(typeof v6 === 'string')) fail(issues, ['data', 'event', 'name'], 'expected a string');
        const v7 = v5.signature;
        if (!(typeof v7 === 'string')) fail(issues, ['data', 'event', 'signature'], 'expected a string');
        const v8 = v5.inputs;
        if (!Array.isArray(v8)) fail(issues, ['data', 'event', 'inputs'], 'expected an array');
        else
          for (let i9 = 0; i9 < v8.length; i9++) {
            const v9: unknown = v8[i9];
            if (!isRecord(v9)) fail(issues, ['data', 'event', 'inputs', i9], 'expected an object');
            else {
              const v10 = v9.name;
              if (!(typeof v10 === 'string'))
                fail(issues, ['data', 'event', 'inputs', i9, 'name'], 'expected a string');
              const v11 = v9.value;
              if (!isInputValue(v11))
                fail(issues, ['data', 'event', 'inputs', i9, 'value'], 'expected an exact JSON value');
              const v12 = v9.hashed;
              if (!(typeof v12 === 'boolean'))
                fail(issues, ['data', 'event', 'inputs', i9, 'hashed'], 'expected true or false');
              const v13 = v9.type;
              if (!(typeof v13 === 'string'))
                fail(issues, ['data', 'event', 'inputs', i9, 'type'], 'expected a string');
            }
          }
        const v14 = v5.rawFields;
        if (v14 !== undefined) {
          if (!(typeof v14 === 'string')) fail(issues, ['data', 'event', 'rawFields'], 'expected a string');
        }
        const v15 = v5.contract;
        const v16 = fillAddressLabel(v15);
        if (!isRecord(v16)) fail(issues, ['data', 'event', 'contract'], 'expected an object');
        else {
          const v17 = v16.address;
          if (!(typeof v17 === 'string')) fail(issues, ['data', 'event', 'contract', 'address'], 'expected a string');
          const v18 = v16.addressLabel;
          if (!(typeof v18 === 'string'))
            fail(issues, ['data', 'event', 'contract', 'addressLabel'], 'expected a string');
          const v19 = v16.addressAlias;
          if (v19 !== undefined) {
            if (!(typeof v19 === 'string'))
              fail(issues, ['data', 'event', 'contract', 'addressAlias'], 'expected a string');
          }
          const v20 = v16.name;
          if (!(typeof v20 === 'string')) fail(issues, ['data', 'event', 'contract', 'name'], 'expected a string');
          const v21 = v16.label;
          if (!(typeof v21 === 'string')) fail(issues, ['data', 'event', 'contract', 'label'], 'expected a string');
        }
        const v22 = v5.indexInLog;
        if (!(Number.isSafeInteger(v22) && Number(v22) >= 0))
          fail(issues, ['data', 'event', 'indexInLog'], 'expected a whole number from 0 up');
      }
      const v23 = v3.transaction;
      if (v23 != null) {
        if (!isRecord(v23)) fail(issues, ['data', 'transaction'], 'expected an object');
        else {
          const v24 = v23.from;
          if (!(typeof v24 === 'string')) fail(issues, ['data', 'transaction', 'from'], 'expected a string');
          const v25 = v23.txData;
          if (!(typeof v25 === 'string')) fail(issues, ['data', 'transaction', 'txData'], 'expected a string');
          const v26 = v23.txHash;
          if (!(typeof v26 === 'string')) fail(issues, ['data', 'transaction', 'txHash'], 'expected a string');
          const v27 = v23.txIndexInBlock;
          if (!(Number.isSafeInteger(v27) && Number(v27) >= 0))
            fail(issues, ['data', 'transaction', 'txIndexInBlock'], 'expected a whole number from 0 up');
          const v28 = v23.blockHash;
          if (!(typeof v28 === 'string')) fail(issues, ['data', 'transaction', 'blockHash'], 'expected a string');
          const v29 = v23.blockNumber;
          if (!(Number.isSafeInteger(v29) && Number(v29) >= 0))
            fail(issues, ['data', 'transaction', 'blockNumber'], 'expected a whole number from 0 up');
          const v30 = v23.contract;
          if (v30 != null) {
            const v31 = fillAddressLabel(v30);
            if (!isRecord(v31)) fail(issues, ['data', 'transaction', 'contract'], 'expected an object');
            else {
              const v32 = v31.address;
              if (!(typeof v32 === 'string'))
                fail(issues, ['data', 'transaction', 'contract', 'address'], 'expected a string');
              const v33 = v31.addressLabel;
              if (!(typeof v33 === 'string'))
                fail(issues, ['data', 'transaction', 'contract', 'addressLabel'], 'expected a string');
              const v34 = v31.addressAlias;
              if (v34 !== undefined) {
                if (!(typeof v34 === 'string'))
                  fail(issues, ['data', 'transaction', 'contract', 'addressAlias'], 'expected a string');
              }
              const v35 = v31.name;
              if (!(typeof v35 === 'string'))
                fail(issues, ['data', 'transaction', 'contract', 'name'], 'expected a string');
              const v36 = v31.label;
              if (!(typeof v36 === 'string'))
                fail(issues, ['data', 'transaction', 'contract', 'label'], 'expected a string');
            }
          }
          const v37 = v23.method;
          if (v37 != null) {
            if (!isRecord(v37)) fail(issues, ['data', 'transaction', 'method'], 'expected an object');
            else {
              const v38 = v37.name;
              if (!(typeof v38 === 'string'))
                fail(issues, ['data', 'transaction', 'method', 'name'], 'expected a string');
              const v39 = v37.signature;
              if (!(typeof v39 === 'string'))
                fail(issues, ['data', 'transaction', 'method', 'signature'], 'expected a string');
              const v40 = v37.inputs;
              if (!Array.isArray(v40)) fail(issues, ['data', 'transaction', 'method', 'inputs'], 'expected an array');
              else
                for (let i41 = 0; i41 < v40.length; i41++) {
                  const v41: unknown = v40[i41];
                  if (!isRecord(v41))
                    fail(issues, ['data', 'transaction', 'method', 'inputs', i41], 'expected an object');
                  else {
                    const v42 = v41.name;
                    if (!(typeof v42 === 'string'))
                      fail(issues, ['data', 'transaction', 'method', 'inputs', i41, 'name'], 'expected a string');
                    const v43 = v41.value;
                    if (!isInputValue(v43))
                      fail(
                        issues,
                        ['data', 'transaction', 'method', 'inputs', i41, 'value'],
                        'expected an exact JSON value',
                      );
                    const v44 = v41.type;
                    if (!(typeof v44 === 'string'))
                      fail(issues, ['data', 'transaction', 'method', 'inputs', i41, 'type'], 'expected a string');
                  }
                }
            }
          }
        }
      }
    }
  }
}
/** Adds to `issues` what keeps `event` from being of the kind TransactionIncluded; fills in each `addressLabel`. */
export function checkTransactionIncluded(event: unknown, issues: EventIssue[]): void {
  if (!isRecord(event)) fail(issues, [], 'expected an object');
  else {
    const v45 = event.id;
    if (!(typeof v45 === 'string' && v45 !== '')) fail(issues, ['id'], 'expected a string that is not empty');
    const v46 = event.event;
    if (!(v46 === 'transaction.included')) fail(issues, ['event'], 'expected "transaction.included"');
    const v47 = event.data;
    if (!isPayload(v47)) fail(issues, ['data'], 'expected an object');
  }
}

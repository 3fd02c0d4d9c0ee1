import { describe, expect, it } from 'vitest';
import { contractEvent, DecodeError } from '../../src/evm/index.js';
import { createRouter, type EventMatcher } from '../../src/index.js';
import { fc } from '../fixtures/property.js';
import { word } from './events.js';
import { moved, movedInputs, withRawFields } from './hostile-event.js';

describe('what a stranger may send under the name and signature of an event', () => {
  const anyText = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        removed: fc.constantFrom(true, false, null, 'no'),
        topics: fc.array(fc.constantFrom(...moved.log.topics, word(1), '0x', 7)),
      })
      .map((fields) => JSON.stringify({ ...moved.log, ...fields })),
    fc
      .array(fc.tuple(fc.nat(moved.log.data.length - 3), fc.constantFrom('0', 'f', '8')), { maxLength: 6 })
      .map((changes) => {
        const digits = moved.log.data.slice(2).split('');
        for (const [at, digit] of changes) digits[at] = digit;
        return JSON.stringify({ ...moved.log, data: `0x${digits.join('')}` });
      }),
    fc
      .nat(moved.log.data.length)
      .map((end) => JSON.stringify({ ...moved.log, data: moved.log.data.slice(0, 2 + 2 * (end >> 1)) })),
  );
  const anyInputs = fc.array(
    fc.tuple(fc.nat(movedInputs().length - 1), fc.constantFrom('name', 'value', 'type', 'hashed'), fc.jsonValue()),
    { maxLength: 3 },
  );

  it('never throws where no address is given, and never fails but with a DecodeError where one is', () => {
    let reported = 0;
    const { dispatch } = createRouter().on(
      contractEvent({ abi: moved.abi, name: 'Moved' } as never) as EventMatcher<unknown>,
      () => 'selected',
    );
    const own = contractEvent({ abi: moved.abi, name: 'Moved', address: moved.log.address } as never);
    fc.assert(
      fc.property(fc.option(anyText), anyInputs, fc.boolean(), (text, changes, signature) => {
        const event = withRawFields(text ?? '');
        if (text === null) delete event.data.event.rawFields;
        for (const [at, key, value] of changes) {
          const fits = key === 'value' || typeof value === (key === 'hashed' ? 'boolean' : 'string');
          if (fits) Object.assign(event.data.event.inputs[at] ?? {}, { [key]: value });
        }
        if (signature) event.data.event.signature = 'Moved(uint256)';
        try {
          own.select(event);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
          reported++;
        }
        dispatch(event, {} as never);
      }),
      { numRuns: 2000 },
    );
    expect(reported).toBeGreaterThan(500);
  });
});

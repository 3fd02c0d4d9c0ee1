import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../src/evm/index.js';
import { eventOf, refusal } from './events.js';

describe('what the service converts', () => {
  const [locked] = parseAbi(['event Locked(uint64 until)']);

  it('seconds are a time beside a log, and refused without one', () => {
    for (const until of ['2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00']) {
      const event = eventOf(locked, { until: 1_767_323_045n }, { until });
      expect(decodeEvent(event, [locked]).args).toEqual({ until: 1_767_323_045n });
      delete event.data.event.rawFields;
      expect(refusal(() => decodeEvent(event, [locked])).reason).toContain('The service converts');
    }
    const event = eventOf(locked, { until: 1_767_323_046n }, { until: '2026-01-02T03:04:05Z' });
    expect(refusal(() => decodeEvent(event, [locked])).code).toBe('ERR_WEBHOOK_CONTRADICTION');
  });

  it('an empty list may be null, a struct have other names, a text lack what Postgres cannot hold', () => {
    const [filled] = parseAbi(['event Filled(uint256[] list, (uint8 kind, uint256 at) mark, string text)']);
    const args = { list: [], mark: { kind: 1, at: 2n }, text: 'a\0b' };
    const wire = { list: null, mark: { Kind: 1, At: '2' }, text: 'ab' };
    expect(decodeEvent(eventOf(filled, args, wire), [filled]).args).toEqual(args);
    for (const other of [{ mark: { Kind: 2, At: '2' } }, { mark: { Kind: 1 } }, { list: [null] }, { text: 'abc' }]) {
      const event = eventOf(filled, args, { ...wire, ...other });
      expect(refusal(() => decodeEvent(event, [filled])).code).toBe('ERR_WEBHOOK_CONTRADICTION');
    }
  });
});

import { equal, ok, thrownBy } from '../../matrix/cases/check.js';
import { bytesOf } from '../../matrix/cases/delivery.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

/** A number as it is sent, and what an item has of it: the digits, where a double would round them. */
const NUMBERS: readonly (readonly [sent: string, kept: unknown])[] = [
  ['0', 0],
  ['-7', -7],
  ['1.5', 1.5],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['12345678901234567890', '12345678901234567890'],
  ['0.1', 0.1],
  ['1e400', '1e400'],
];

const bodyOf = (forms: 'text' | 'bytes' | 'buffer', text: string) =>
  forms === 'text' ? text : forms === 'bytes' ? bytesOf(text) : (bytesOf(text).buffer as ArrayBuffer);

export const parsingCases: readonly Case[] = [
  ...(['text', 'bytes', 'buffer'] as const).map((form) => ({
    name: `reads the samples as they were sent, from ${form}`,
    run(lab: Lab) {
      const { sampleEventEmitted, sampleTransactionIncluded } = lab.lib.testing;
      const events = [sampleEventEmitted(), sampleTransactionIncluded(), sampleEventEmitted({ id: 'ünïcode 🎉' })];
      const items = lab.lib.root.parseDelivery(bodyOf(form, JSON.stringify(events)));
      equal(
        items,
        events.map((event) => ({ status: 'event', event })),
      );
    },
  })),
  ...NUMBERS.map(([sent, kept]) => ({
    name: `never passes a rounded number off as exact: ${sent}`,
    run(lab: Lab) {
      const event = lab.sample('n');
      const text = JSON.stringify([event]).replace('"1000000000000000000"', sent);
      const [item] = lab.lib.root.parseDelivery(text);
      ok(item?.status === 'event' && item.event.event === 'event.emitted', 'it is no event');
      if (item?.status !== 'event' || item.event.event !== 'event.emitted') return;
      equal(item.event.data.event.inputs[2]?.value, kept);
      const [unknown] = lab.lib.root.parseDelivery(`[{"id":"x","event":"new.kind","data":{"value":${sent}}}]`);
      equal(unknown?.status === 'unknown' && unknown.raw, { id: 'x', event: 'new.kind', data: { value: kept } });
    },
  })),
  {
    name: 'keeps keys that name prototypes as data and pollutes nothing',
    run(lab) {
      for (const beside of ['', ',{"n":12345678901234567890}']) {
        const { rawFields: _, ...event } = lab.sample('p').data.event;
        const sent = JSON.stringify({ ...lab.sample('p'), data: { ...lab.sample('p').data, event } }).replaceAll(
          '{',
          '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
        );
        const [item] = lab.lib.root.parseDelivery(`[${sent}${beside}]`);
        if (item?.status !== 'event' || item.event.event !== 'event.emitted') throw new Error('it is no event');
        equal(JSON.stringify(item.event), JSON.stringify(JSON.parse(sent)));
        for (const each of [item.event, item.event.data.event, item.event.data.event.inputs[0]]) {
          ok(Object.hasOwn(each ?? {}, '__proto__'), '__proto__ is no key of its own');
          ok(Object.getPrototypeOf(each) === Object.prototype, 'the prototype was changed');
        }
      }
      ok(!Object.hasOwn(Object.prototype, 'polluted'), 'Object.prototype is polluted');
    },
  },
  {
    name: 'reads nesting of 100 000 levels and refuses it unclosed',
    async run(lab) {
      const open = 100_000;
      // Engines differ in how deep they read; each way it is an answer and no crash.
      const read = () => lab.lib.root.parseDelivery(`[${'['.repeat(open)}${']'.repeat(open)}]`);
      const outcome = await Promise.resolve()
        .then(read)
        .then(
          (items) => items.map(({ status }) => status),
          (error: { code?: string }) => error.code,
        );
      ok(['["invalid"]', '"ERR_WEBHOOK_INVALID_BODY"'].includes(JSON.stringify(outcome)), JSON.stringify(outcome));
      const error = await thrownBy(() => lab.lib.root.parseDelivery('['.repeat(open)));
      equal(error.code, 'ERR_WEBHOOK_INVALID_BODY');
    },
  },
];

import { bodyOf } from './fixtures.mjs';

/** The default of maxBodyBytes. */
const SIZE = 10 * 1024 * 1024;
/** The default of maxEvents. */
const MAX_EVENTS = 10_000;

/** `head`, then `unit` as often as it fits, then `tail`: in one buffer, as most texts that are put together leave garbage. */
function filled(head, unit, tail) {
  const count = Math.floor((SIZE - Buffer.byteLength(head) - Buffer.byteLength(tail)) / unit.length);
  return Buffer.concat([Buffer.from(head), Buffer.alloc(count * unit.length, unit), Buffer.from(tail)]);
}

/** The same with what `unit` gives for 0, 1, 2 …, and a last one. */
function counted(head, unit, last) {
  const body = Buffer.alloc(SIZE);
  let at = body.write(head);
  for (let index = 0; at < SIZE - 100; index++) at += body.write(unit(index), at);
  return body.subarray(0, at + body.write(last, at));
}

const [EVENT_HEAD, EVENT_TAIL] = JSON.stringify([
  {
    id: 'x',
    event: 'event.emitted',
    data: {
      triggeredAt: '',
      event: {
        ...{ name: '', signature: '', inputs: 'HERE', indexInLog: 0 },
        contract: { address: '', addressLabel: '', name: '', label: '' },
      },
    },
  },
]).split('"HERE"');
const UNKNOWN = '[{"id":"x","event":"y","data":';
const INPUT = '[{"name":"","type":"","hashed":false,"value":';

/** As many items as maxEvents allows, of one size. */
function items(item) {
  const text = item(Math.floor(SIZE / MAX_EVENTS) - 2);
  return Buffer.concat([
    Buffer.from('['),
    Buffer.alloc((MAX_EVENTS - 1) * (text.length + 1), `${text},`),
    Buffer.from(`${text}]`),
  ]);
}

const invalidEvent = (input) => (size) => {
  const inputs = input.repeat((size - EVENT_HEAD.length - EVENT_TAIL.length) / input.length - 1);
  return `${EVENT_HEAD}[${inputs}1]${EVENT_TAIL}`.slice(1, -1);
};

/** Authentic bodies that become as large in memory as 10 MiB can, by what they contain. */
export const BODIES = {
  'numbers as items': () => filled('[', '1,', '1]'),
  'objects as items': () => filled('[', '{},', '{}]'),
  'levels of arrays': () => Buffer.concat([Buffer.alloc(SIZE / 2, '['), Buffer.alloc(SIZE / 2, ']')]),
  'levels of an unknown item': () =>
    Buffer.concat([
      Buffer.from(UNKNOWN),
      Buffer.alloc(SIZE / 2 - 20, '['),
      Buffer.alloc(SIZE / 2 - 20, ']'),
      Buffer.from('}]'),
    ]),
  '10 000 items with 500 invalid inputs': () => items(invalidEvent('1,')),
  '10 000 unknown items': () => items((size) => `{"id":"x","event":"y","data":"${'x'.repeat(size - 31)}"}`),
  '5 million inputs': () => filled(`${EVENT_HEAD}[`, '1,', `1]${EVENT_TAIL}`),
  'an input of many keys': () => counted(`${EVENT_HEAD}${INPUT}{`, (n) => `"k${n}":1,`, `"":1}}]${EVENT_TAIL}`),
  'keys that are numbers': () => counted(`${UNKNOWN}{`, (n) => `"${n}":1e99,`, '"":1}}]'),
  'keys named __proto__': () => filled(`${UNKNOWN}[`, '{"__proto__":{"a":1e99}},', '1]}]'),
  'numbers too large for a double': () => filled(`${UNKNOWN}[`, '1e400,', '1]}]'),
  'different numbers of 20 digits': () => counted(`${UNKNOWN}[`, (n) => `123456789012${10_000_000 + n},`, '1]}]'),
  'a number of 10 million digits': () => filled(`${UNKNOWN}`, '1', '}]'),
  'equal keys': () => filled(`${UNKNOWN}{`, '"a":[1e400],', '"a":1}}]'),
  escapes: () => filled(`${UNKNOWN}[1e400,"`, '\\u0000', '"]}]'),
  'text beyond Latin-1': () => filled(`${UNKNOWN}["\u65e5`, 'x', '"]}]'),
  '5000 events': () => bodyOf('event.emitted', 5000),
};

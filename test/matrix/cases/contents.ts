import { bytesOf } from './delivery.js';

const utf16 = (text: string) => Uint8Array.from(Array.from(text).flatMap((letter) => [letter.charCodeAt(0), 0]));

/** Bodies that are answered with 400 when they are authentic. */
export const NO_DELIVERIES: readonly (readonly [title: string, body: string | Uint8Array])[] = [
  ['not UTF-8', bytesOf('[{"id":"', new Uint8Array([0xff]), '"}]')],
  ['UTF-8 cut inside a character', bytesOf('["é"]').subarray(0, 3)],
  ['a lone surrogate in UTF-8', new Uint8Array([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d])],
  ['UTF-16', utf16('[]')],
  ['after a byte order mark', '\ufeff[]'],
  ['not JSON', '[{"id":"1"'],
  ['blank', ' '],
  ['a JSON object', '{"id":"1"}'],
  ['a JSON string', '"[]"'],
  ['JSON null', 'null'],
];

/** An item of a kind that is not known yet: taken, and shown to `onUnknown`. */
export const UNKNOWN_ITEM = { id: 'new', event: 'block.mined', data: {} } as const;

/** Items that are no events, each answered with 422 where nobody takes them. */
export const INVALID_ITEMS: readonly (readonly [title: string, item: unknown])[] = [
  ['null', null],
  ['an event without its data', { id: 'bad', event: 'event.emitted' }],
  ['an id that is no string', { id: 7, event: 'event.emitted' }],
  ['a number', 7],
  ['a string', 'event.emitted'],
  ['an array', []],
  ['an empty object', {}],
];

import type { Abi } from 'viem';
import type { EventInput, JsonValue } from '../../src/events/types.js';
import type { EventEmitted } from '../../src/index.js';
import { type Emission, emissionOf, emitted, type RpcLog } from './arbitrary.js';
import type { Param, Value } from './arbitrary-types.js';
import { plain, wireInputs } from './arbitrary-wire.js';
import { type EventAbi, encodeLog } from './encode.js';

const item: EventAbi = {
  type: 'event',
  name: 'Moved',
  inputs: [
    { name: 'who', type: 'address', indexed: true },
    { name: 'tag', type: 'string', indexed: true },
    { name: 'small', type: 'uint8' },
    { name: 'flag', type: 'bool' },
    { name: 'code', type: 'bytes4' },
    { name: 'amount', type: 'uint256' },
    { name: 'note', type: 'string' },
    { name: 'list', type: 'uint256[]' },
    {
      name: 'item',
      type: 'tuple',
      components: [
        { name: 'kind', type: 'uint8' },
        { name: 'data', type: 'bytes' },
      ],
    },
  ],
};

// Every value is one of a kind, so that a message that quotes it is found out.
const values: readonly Value[] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  'tagtagtag',
  173n,
  true,
  '0xc0de5afe',
  987_654_321_987_654_321n,
  'noted '.repeat(8),
  [707_707_707n, 808_808_808n, 909_909_909n],
  [91n, '0xfeedfacecafebeef'],
];

const { log: place } = emissionOf({ name: '', type: 'bool' }, true);

/** An event with an input of most kinds: what the hostile tests start from. */
export const moved: Emission = {
  abi: [item] as unknown as Abi,
  item,
  values,
  log: { ...place, ...encodeLog(item, values) },
};

export const movedInputs = (): EventInput[] => wireInputs(item, values, { pick: plain });

/** The event with `rawFields` as text, or made from a log that was changed. */
export function withRawFields(rawFields: string | ((log: Record<string, unknown> & RpcLog) => unknown)): EventEmitted {
  const text = typeof rawFields === 'string' ? rawFields : JSON.stringify(rawFields({ ...moved.log }));
  return emitted(moved, movedInputs(), text);
}

/** An event of one input that is on the wire as given, with the log of another value or with none. */
export function single(
  type: string | Omit<Param, 'name'>,
  value: JsonValue,
  { logged, hashed = false }: { logged?: Value; hashed?: boolean } = {},
): { event: EventEmitted; abi: Abi } {
  const param: Param = { name: 'only', ...(typeof type === 'string' ? { type } : type) };
  const hasLog = logged !== undefined;
  const { abi, item, log } = hasLog ? emissionOf(param, logged) : { ...moved, ...bare(param) };
  const inputs = [{ name: 'only', value, hashed, type: param.type }];
  return { event: emitted({ abi, item, values: [], log }, inputs, hasLog ? undefined : 'none'), abi };
}

/** An ABI and an item of one input. */
function bare(param: Param): { abi: Abi; item: EventAbi } {
  const only: EventAbi = { type: 'event', name: 'Single', inputs: [param] };
  return { abi: [only] as unknown as Abi, item: only };
}

import type { State } from '../types.js';
import { copy } from './copy.js';
import { LongText, line } from './text.js';

/** What the chain's explorer has a page for. */
export type Linked = 'tx' | 'address' | 'block';

const LINKED: Record<Linked, RegExp> = {
  tx: /^0x[0-9a-f]{64}$/i,
  address: /^0x[0-9a-f]{40}$/i,
  block: /^\d{1,20}$/,
};

/** The page of a transaction, an address or a block in the chain's explorer; undefined if there is none. */
export function explorerUrl(state: State | undefined, kind: Linked, value: string): string | undefined {
  const template = state?.chain?.explorer?.[kind];
  if (template === undefined || !LINKED[kind].test(value)) return undefined;
  const url = template.replaceAll('{}', value);
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

const NUMBER = /^-?\d{1,200}(\.\d{1,200})?$/;

/** The digits of a number in threes, from the point to the left; undefined for other values. */
export const groupsOf = (value: string) =>
  NUMBER.test(value) ? value.split(/(?<=^-?\d+)(?=(?:\d{3})+(?:\.|$))/) : undefined;

/** Whether a value is an address, a hash or other hex that is shown short. */
const isLongHex = (value: string) => value.length <= 66 && /^0x[0-9a-f]{16,}$/i.test(value);

/** The beginning and the end of a long hex value. */
export const shortened = (value: string) => (isLongHex(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : value);

/** An address or a hash. Copying, its title and assistive technology use the full value. */
const ShortHex = ({ value }: { value: string }) => (
  <button
    type="button"
    class="hex mono"
    title={`${value}\nClick to copy`}
    onClick={() => void copy(value, value.length === 42 ? 'Address' : 'Hash')}
  >
    <span aria-hidden="true">{shortened(value)}</span>
    <span class="unseen">Copy {value}</span>
  </button>
);

interface Props {
  readonly text: string;
  readonly state?: State | undefined;
  /** What it is in the chain's explorer. */
  readonly kind?: Linked | undefined;
}

/** A value of an event: a number with grouped digits, short hex, or other text. Copying yields the value as received. */
export function Value({ text, state, kind }: Props) {
  const groups = groupsOf(text);
  const url = kind && explorerUrl(state, kind, text);
  return (
    <>
      {isLongHex(text) && <ShortHex value={text} />}
      {/* The gaps are not characters. */}
      {groups && (
        <bdi class="digits">
          {groups.map((group, index) => (
            <span key={index}>{group}</span>
          ))}
        </bdi>
      )}
      {!groups && !isLongHex(text) && <LongText text={text} />}
      {url && (
        <a class="explorer" href={url} target="_blank" rel="noreferrer noopener" title={url}>
          <span aria-hidden="true">↗</span>
          <span class="unseen">Open {line(text)} in the explorer</span>
        </a>
      )}
    </>
  );
}

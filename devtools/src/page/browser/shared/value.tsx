import { copy } from './copy.js';
import { LongText } from './text.js';

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

/** A value of an event: a number with grouped digits, short hex, or other text. Copying yields the value as received. */
export function Value({ text }: { text: string }) {
  const groups = groupsOf(text);
  if (isLongHex(text)) return <ShortHex value={text} />;
  if (!groups) return <LongText text={text} />;
  // The gaps are not characters.
  return (
    <bdi class="digits">
      {groups.map((group, index) => (
        <span key={index}>{group}</span>
      ))}
    </bdi>
  );
}

import { notify } from './notices.js';
import { line } from './text.js';

/** Puts text on the clipboard, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied.`);
  } catch {
    notify(`${what} could not be copied: the browser denied access to the clipboard.`, 'bad');
  }
}

/** A button that copies. */
export const CopyButton = ({ label, text, what }: { label: string; text: () => string; what: string }) => (
  <button type="button" onClick={() => void copy(text(), what)}>
    {label}
  </button>
);

const HEX = /^0x[0-9a-f]{16,}$/i;

/** Whether a value is an address, a hash or other hex that is shown short. */
export const isLongHex = (value: string) => value.length <= 66 && HEX.test(value);

/** The beginning and the end of a long hex value. */
export const shortened = (value: string) => (isLongHex(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : value);

/** A shortened address or hash. Copying, its title and assistive technology use the full value. */
export function ShortHex({ value, what = value.length === 42 ? 'Address' : 'Hash' }: { value: string; what?: string }) {
  const whole = line(value);
  if (!isLongHex(value)) return <bdi class="mono">{whole}</bdi>;
  return (
    <button type="button" class="hex mono" title={`${whole}\nClick to copy`} onClick={() => void copy(value, what)}>
      <span aria-hidden="true">{shortened(value)}</span>
      <span class="unseen">Copy {whole}</span>
    </button>
  );
}

import { notify } from './notices.js';
import { visible } from './text.js';

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
export const CopyButton = ({ label, text, what }: { label: string; text: string; what: string }) => (
  <button type="button" onClick={() => void copy(text, what)}>
    {label}
  </button>
);

interface Props {
  readonly text: string;
  /** What it is, for the notice. (Default: a command.) */
  readonly what?: string;
  readonly label?: string;
}

/** A command for the terminal, or code, with a button that copies it. */
export const CommandLine = ({ text, what = 'Command', label = what }: Props) => (
  <div class="command-line">
    {/* biome-ignore lint/a11y: it scrolls. */}
    <pre tabIndex={0} role="group" aria-label={label}>
      {visible(text)}
    </pre>
    <CopyButton label="Copy" text={text} what={what} />
  </div>
);

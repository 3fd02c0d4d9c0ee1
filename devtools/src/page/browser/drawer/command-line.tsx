import { CopyButton } from '../shared/copy.js';
import { visible } from '../shared/text.js';

/** A command for the terminal, or code, with a button that copies it. */
export const CommandLine = ({
  text,
  what = 'Command',
  label = what,
}: {
  text: string;
  what?: string;
  label?: string;
}) => (
  <div class="command-line">
    {/* biome-ignore lint/a11y: it scrolls. */}
    <pre tabIndex={0} role="group" aria-label={label}>
      {visible(text)}
    </pre>
    <CopyButton label="Copy" text={() => text} what={what} />
  </div>
);

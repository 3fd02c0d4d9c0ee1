import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../shared/copy.js';
import { bytesOf, hexDump, looksLikeJson, lossyUtf8, utf8 } from './bytes.js';
import { Code } from './code.js';
import { pretty, unfolded } from './pretty.js';

/** How bytes are shown. */
export type Form = 'Text' | 'Indented' | 'Hex';

const LABELS: Record<Form, string> = { Text: ' as text', Indented: ', indented', Hex: ' as a hex dump' };

interface Props {
  readonly base64: string;
  /** Label, such as `Body`. */
  readonly what: string;
  /** The chosen form, kept from one delivery to the next. */
  readonly form: Signal<Form>;
  /** The limit at which they are cut. */
  readonly note?: string | undefined;
  /** The note for indented text. */
  readonly indentedNote?: string | undefined;
  /** Whether the bytes were cut. */
  readonly isCut?: boolean | undefined;
}

/** Bytes as text, indented where they are JSON, and as hex. */
export function BytesView({ base64, what, form, note, indentedNote, isCut }: Props) {
  const bytes = useMemo(() => bytesOf(base64), [base64]);
  const strict = useMemo(() => utf8(bytes), [bytes]);
  const text = useMemo(() => strict ?? lossyUtf8(bytes), [strict, bytes]);
  const forms: Form[] = looksLikeJson(text) ? ['Text', 'Indented', 'Hex'] : ['Text', 'Hex'];
  const shown = forms.includes(form.value) ? form.value : 'Text';
  const parts = useMemo(() => {
    if (shown === 'Indented') return unfolded(pretty(text));
    return [{ text: shown === 'Hex' ? hexDump(bytes) : text }];
  }, [shown, text, bytes]);
  const notes = [
    shown === 'Indented' && indentedNote,
    strict === undefined && 'Not UTF-8: bytes that cannot be decoded are shown as �. Hex shows the bytes.',
    note,
  ].filter(Boolean);
  return (
    <>
      <div class="body-bar">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div class="segments" role="group" aria-label={`Show the ${what.toLowerCase()} as`}>
          {forms.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === shown}
              onClick={() => {
                form.value = each;
              }}
            >
              {each}
            </button>
          ))}
        </div>
        {strict !== undefined && !isCut && (
          <CopyButton label={`Copy ${what.toLowerCase()}`} text={strict} what={what} />
        )}
      </div>
      {notes.length > 0 && <p class="muted">{notes.join(' ')}</p>}
      <Code parts={parts} label={`${what}${LABELS[shown]}`} />
    </>
  );
}

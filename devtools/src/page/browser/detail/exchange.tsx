import type { Signal } from '@preact/signals';
import { bytes, counted } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import type { Attempt, HeaderLine } from '../types.js';
import { BytesView, type Form } from './bytes-view.js';

/** Headers as sent; `more` is the number of omitted ones. */
export const HeaderTable = ({ headers, more }: { headers: readonly HeaderLine[]; more?: number | undefined }) => (
  <>
    <table class="headers">
      <tbody>
        {headers.map(([name, value], index) => (
          <tr key={index}>
            <th scope="row">
              <Wire text={name} />
            </th>
            <td class="mono">
              <LongText text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {more && <p class="muted">{counted(more, 'more header')} not shown.</p>}
  </>
);

function cutNote({ bytes: count, truncated }: NonNullable<Attempt['response']>, kept: number) {
  return truncated ? `Only the first ${bytes(kept)} of at least ${bytes(count)} are kept.` : undefined;
}

interface ResponseProps {
  readonly attempt: Attempt;
  readonly form: Signal<Form>;
  /** Whether `listen` answers what it does not forward. */
  readonly isOurs: boolean;
}

/** The application's response, shown as text. */
export function Response({ attempt, form, isOurs }: ResponseProps) {
  const { status, response } = attempt;
  if (status === undefined) return null;
  const kept = response ? Math.floor((response.bodyBase64.replace(/=+$/, '').length * 3) / 4) : 0;
  return (
    <>
      {!response && (
        <p class="muted">{isOurs ? 'Answered by listen, empty body.' : 'Its headers and body are not kept.'}</p>
      )}
      {response && response.headers.length > 0 && (
        <details>
          <summary>{counted(response.headers.length, 'header')}</summary>
          <HeaderTable headers={response.headers} />
        </details>
      )}
      {response && kept > 0 && (
        <BytesView
          base64={response.bodyBase64}
          what="Response"
          form={form}
          note={cutNote(response, kept)}
          isCut={response.truncated}
        />
      )}
    </>
  );
}

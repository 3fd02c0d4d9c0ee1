import { counted } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import type { HeaderLine } from '../types.js';

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

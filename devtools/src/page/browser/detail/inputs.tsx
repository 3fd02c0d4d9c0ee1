import { isLongHex, ShortHex } from '../shared/copy.js';
import { counted } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import type { InputView, State } from '../types.js';
import { Digits, isNumber } from './digits.js';
import { ExplorerLink } from './links.js';

function Value({ text }: { text: string }) {
  if (isLongHex(text)) return <ShortHex value={text} />;
  return isNumber(text) ? <Digits value={text} /> : <LongText text={text} />;
}

function InputRow({ input, state }: { input: InputView; state: State | undefined }) {
  const { name, type, value, hashed, exact, formatted, symbol } = input;
  return (
    <tr>
      <th scope="row">
        <Wire text={name || '(no name)'} />
      </th>
      <td class="type">
        <Wire text={type} />
      </td>
      <td class="value">
        {formatted !== undefined && (
          <div class="formatted">
            <Value text={formatted} />
            {symbol && ' '}
            {symbol && <Wire text={symbol} />}
          </div>
        )}
        {formatted !== value && (
          <div>
            <Value text={value} />
            {type === 'address' && <ExplorerLink state={state} kind="address" value={value} />}
            {hashed && <span class="hint"> keccak256 hash</span>}
          </div>
        )}
        {exact !== undefined && exact !== value && (
          <div class="exact">
            <span class="hint">exact </span>
            <Value text={exact} />
          </div>
        )}
      </td>
    </tr>
  );
}

interface Props {
  readonly inputs: readonly InputView[];
  /** Number of further inputs, which the server does not send. */
  readonly more?: number | undefined;
  readonly state: State | undefined;
}

/** The inputs of an event or a call. */
export function InputTable({ inputs, more, state }: Props) {
  return (
    <>
      <table class="inputs">
        <thead>
          <tr>
            {['Name', 'Type', 'Value'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inputs.map((input, index) => (
            <InputRow key={index} input={input} state={state} />
          ))}
        </tbody>
      </table>
      {more !== undefined && <p class="muted more">{counted(more, 'more input')}: see the body.</p>}
    </>
  );
}

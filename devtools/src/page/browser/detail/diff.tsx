import type { BodyDiff } from '../../../explain/diff-bodies.js';
import { bytes, counted, grouped } from '../shared/format.js';
import { LongText, visible, Wire } from '../shared/text.js';

const FORMATS: Record<BodyDiff['format'][number], string> = {
  whitespace: 'white space',
  escapes: 'escapes in strings',
  numbers: 'spelling or precision of numbers',
  order: 'order of keys',
};

const heads: Record<BodyDiff['kind'], string> = {
  same: 'No difference: these are the bytes that were signed.',
  format: 'The same JSON, but other bytes. The signature covers bytes: verify the raw body, before anything parses it.',
  values: 'Values differ.',
  bytes: 'Bytes differ.',
};

/** One side of a change, marked with a sign and a colour. */
function Side({ text, sign }: { text: string | undefined; sign: '−' | '+' }) {
  if (text === undefined) return <td class="muted">absent</td>;
  return (
    <td class={sign === '−' ? 'gone' : 'come'}>
      <span class="sign">{sign} </span>
      <LongText text={text} />
    </td>
  );
}

const Heads = ({ first }: { first: string }) => (
  <thead>
    <tr>
      {[first, 'Signed', 'Received'].map((title) => (
        <th key={title} scope="col">
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

const Values = ({ diff }: { diff: BodyDiff }) => (
  <table class="diff">
    <Heads first="Path" />
    <tbody>
      {diff.values.map(({ path, signed, received }, index) => (
        <tr key={index}>
          <th scope="row" class="mono">
            <Wire text={path || '(all)'} />
          </th>
          <Side text={signed} sign="−" />
          <Side text={received} sign="+" />
        </tr>
      ))}
    </tbody>
  </table>
);

type Change = BodyDiff['bytes'][number];

/** Changed bytes as text and in hex, with their common context. */
function Piece({ change, piece, sign }: { change: Change; piece: Change['signed']; sign: '−' | '+' }) {
  const text = visible(piece.text).replaceAll('\n', '⏎').replaceAll('\t', '⇥');
  const more = piece.bytes > piece.hex.length / 2 ? '…' : '';
  return (
    <td class={sign === '−' ? 'gone' : 'come'}>
      <div class="mono">
        <span class="sign">{sign} </span>
        <bdi class="muted">{visible(change.before)}</bdi>
        {piece.bytes > 0 && <mark>{`${text}${more}`}</mark>}
        <bdi class="muted">{visible(change.after)}</bdi>
      </div>
      <div class="mono hint">
        {piece.bytes > 0 ? `${counted(piece.bytes, 'byte')}: ${piece.hex.replace(/../g, '$& ')}${more}` : 'nothing'}
      </div>
    </td>
  );
}

const Bytes = ({ diff }: { diff: BodyDiff }) => (
  <table class="diff">
    <Heads first="Offset" />
    <tbody>
      {diff.bytes.map((change, index) => (
        <tr key={index}>
          <th scope="row" class="mono">
            {grouped(change.signed.at)}
            {change.received.at !== change.signed.at && ` / ${grouped(change.received.at)}`}
          </th>
          <Piece change={change} piece={change.signed} sign="−" />
          <Piece change={change} piece={change.received} sign="+" />
        </tr>
      ))}
    </tbody>
  </table>
);

/** The difference between the signed and the received body. */
export function Diff({ diff }: { diff: BodyDiff }) {
  const { kind, signedBytes, receivedBytes, format, more } = diff;
  const sizes = signedBytes === receivedBytes ? bytes(signedBytes) : `${bytes(signedBytes)} → ${bytes(receivedBytes)}`;
  return (
    <div class="difference" role="status">
      <p>
        <strong>{heads[kind]}</strong> <span class="muted">{sizes}</span>
      </p>
      {format.length > 0 && <p>Different: {format.map((each) => FORMATS[each]).join(', ')}.</p>}
      {kind === 'values' && <Values diff={diff} />}
      {kind === 'bytes' && <Bytes diff={diff} />}
      {(kind === 'values' || kind === 'format') && (
        <details>
          <summary>Bytes: {counted(diff.bytes.length, 'change')}</summary>
          <Bytes diff={diff} />
        </details>
      )}
      {more && <p class="muted">There are more differences.</p>}
    </div>
  );
}

import type { BodyDiff, Piece } from '../../explain/diff-bodies.js';
import type { Colors } from '../output.js';
import { visible } from '../visible.js';

/** The difference between what was signed and what was received, for a terminal. */
export function diffText(diff: BodyDiff, colors: Colors): string {
  const { kind, signedBytes, receivedBytes, at, before, signed, received } = diff;
  if (kind === 'same') return `Signed and received are the same ${signedBytes} bytes.`;
  const what = kind === 'format' ? 'The JSON is the same, written differently:' : 'Their bytes differ:';
  return [
    `Signed ${signedBytes} bytes, received ${receivedBytes} bytes. ${what}`,
    `  from byte ${at}${before === '' ? '' : `, after ${visible(JSON.stringify(before))}`}`,
    colors.green(`    signed    ${pieceText(signed)}`),
    colors.red(`    received  ${pieceText(received)}`),
  ].join('\n');
}

function pieceText({ bytes, hex, text }: Piece): string {
  if (bytes === 0) return '(nothing)';
  const shown = hex.length / 2;
  const rest = bytes > shown ? `… (${bytes} bytes)` : '';
  return `${visible(JSON.stringify(text))}${rest}  ${hex}`;
}

import type { BodyDiff } from '../../explain/diff-bodies.js';
import type { Piece } from '../../explain/diff-bytes.js';
import type { Colors } from '../output.js';
import { visible } from '../visible.js';

/** Limit of printed changes; --json prints all that were found. */
const MOST_PRINTED = 10;

/** The difference between what was signed and what was received, for a terminal. */
export function diffText(diff: BodyDiff | undefined, colors: Colors): string {
  if (diff === undefined) return 'The bodies could not be compared.';
  const { kind, signedBytes, receivedBytes } = diff;
  if (kind === 'same') return `Signed and received are the same ${signedBytes} bytes.`;
  const what = kind === 'format' ? 'The JSON is the same, written differently:' : 'Their bytes differ:';
  const lines = [`Signed ${signedBytes} bytes, received ${receivedBytes} bytes. ${what}`];
  for (const { before, signed, received } of diff.bytes.slice(0, MOST_PRINTED)) {
    const after = before === '' ? '' : `, after ${visible(JSON.stringify(before))}`;
    lines.push(
      `  at byte ${signed.at} (received: ${received.at})${after}`,
      colors.green(`    signed    ${pieceText(signed)}`),
      colors.red(`    received  ${pieceText(received)}`),
    );
  }
  if (diff.bytes.length > MOST_PRINTED) lines.push('  … and more (--json lists up to 50)');
  return lines.join('\n');
}

function pieceText({ bytes, hex, text }: Piece): string {
  if (bytes === 0) return '(nothing)';
  const shown = hex.length / 2;
  const rest = bytes > shown ? `… (${bytes} bytes)` : '';
  return `${visible(JSON.stringify(text))}${rest}  ${hex}`;
}

import type { Output } from './output.js';

const REDRAW_MS = 100;
const WIDTH = 24;

/**
 * A progress line for a long run. Draws nothing unless stderr is a terminal.
 *
 * @param total The total number, if known.
 */
export function createProgress(output: Output, total: number | undefined) {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    /** Whether anything is drawn. */
    drawn: output.status !== undefined,
    update(done: number, text: string): void {
      if (output.status === undefined || performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      output.status(`${total === undefined ? done : `${bar(done / total)} ${done}/${total}`}  ${text}`);
    },
    end(): void {
      output.status?.('');
    },
  };
}

function bar(share: number): string {
  const full = Math.min(WIDTH, Math.floor(share * WIDTH));
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}

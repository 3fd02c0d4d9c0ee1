import type { Output } from './output.js';

const REDRAW_MS = 100;

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
      output.status(`${total === undefined ? done : `${done}/${total}`}  ${text}`);
    },
    end(): void {
      output.status?.('');
    },
  };
}

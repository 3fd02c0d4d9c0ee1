import type { Output } from './output.js';

const REDRAW_MS = 100;

/**
 * A progress line for a long run, below the output. Draws nothing unless stdout is a terminal.
 *
 * @param total The total number, if known.
 */
export function createProgress(output: Output, total: number | undefined) {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    /** Whether anything is drawn. */
    drawn: output.isTerminal,
    update(done: number, text: string): void {
      if (!output.isTerminal || performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      output.footer([`${total === undefined ? done : `${done}/${total}`}  ${text}`]);
    },
    end(): void {
      if (output.isTerminal) output.footer([]);
    },
  };
}

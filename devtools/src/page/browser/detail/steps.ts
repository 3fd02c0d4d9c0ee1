import { useState } from 'preact/hooks';

/** Number of items and inputs shown at first, and added with each click. */
export const STEP = 25;

/** The number of shown entries of a list, which grows by a step. A different list starts again. */
export function useSteps(key: unknown): [shown: number, more: () => void] {
  const [state, setState] = useState({ key, shown: STEP });
  const shown = state.key === key ? state.shown : STEP;
  return [shown, () => setState({ key, shown: shown + STEP })];
}

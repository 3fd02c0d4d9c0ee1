import { useState } from 'preact/hooks';

/** Items and inputs that are shown at once, and added with each click. */
export const STEP = 25;

/** How many of a list are shown: a step at first, and a step more each time. Other lists start anew. */
export function useSteps(key: unknown): [shown: number, more: () => void] {
  const [state, setState] = useState({ key, shown: STEP });
  const shown = state.key === key ? state.shown : STEP;
  return [shown, () => setState({ key, shown: shown + STEP })];
}

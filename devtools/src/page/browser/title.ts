import { effect } from '@preact/signals';
import type { Session } from './session.js';

/** Keeps the title of the tab: the mode, and how many deliveries came while the tab was in the background. */
export function keepTitle({ state, unseen }: Session): void {
  effect(() => {
    const count = unseen.value > 0 ? `(${unseen.value.toLocaleString('en')}) ` : '';
    document.title = `${count}${state.value ? `${state.value.mode} · ` : ''}event-webhooks`;
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) unseen.value = 0;
  });
}

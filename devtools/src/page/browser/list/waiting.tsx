import type { Session } from '../session.js';
import { counted } from '../shared/format.js';

/** How many deliveries wait while the list is on hold, and a button that shows them. */
export function Waiting({ session, onShown }: { session: Session; onShown: () => void }) {
  const { view, paused, version, toTop } = session;
  void version.value;
  const count = view.waiting();
  if (count === 0 && !paused.value) return null;
  const words = [paused.value && 'Paused', count > 0 && counted(count, 'new delivery', 'new deliveries')];
  function show(): void {
    toTop();
    onShown();
  }
  return (
    <button id="waiting" type="button" class="primary" onClick={show}>
      {count > 0 && '↑ '}
      {words.filter(Boolean).join(' · ')}
    </button>
  );
}

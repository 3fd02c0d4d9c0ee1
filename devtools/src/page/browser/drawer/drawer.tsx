import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { Faults } from './faults.js';
import { Recordings } from './recordings.js';
import { Respond } from './respond.js';
import { Webhooks } from './webhooks.js';

/** The drawer over the list: webhooks, faults, responses, recordings. Escape closes it. */
export function Drawer({ session }: { session: Session }) {
  const { drawer } = session;
  const panel = useRef<HTMLElement>(null);
  const isOpen = drawer.value;
  useEffect(() => {
    if (isOpen) panel.current?.focus();
  }, [isOpen]);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    drawer.value = false;
    document.getElementById('toggle-drawer')?.focus();
  }
  return (
    <aside id="drawer" ref={panel} tabIndex={-1} aria-label="Controls" hidden={!isOpen} onKeyDown={onKeyDown}>
      {isOpen && (
        <>
          <Webhooks session={session} />
          <Faults session={session} />
          <Respond session={session} />
          <Recordings session={session} />
        </>
      )}
    </aside>
  );
}

import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createList } from '../list.js';
import type { Session } from '../session.js';

/** The list of deliveries. */
export function List({ session }: { session: Session }) {
  useEffect(() => {
    const { view, now, store, openId, version, clock, open, close } = session;
    const list = createList({
      view,
      now,
      onOpen: (entry, how) => open(entry.summary.id, how),
      onEscape: close,
    });
    let wasOpen = false;
    effect(() => {
      const id = openId.value;
      const entry = id === undefined ? undefined : store.get(id);
      list.mark(entry);
      if (wasOpen && id === undefined) list.leave();
      wasOpen = id !== undefined;
    });
    effect(() => {
      void [version.value, clock.value];
      list.update();
    });
  }, [session]);
  return (
    <>
      <button id="waiting" type="button" class="primary" hidden />
      <div id="list" />
    </>
  );
}

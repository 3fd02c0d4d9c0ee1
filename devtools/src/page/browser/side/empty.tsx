import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createEmpty } from '../empty.js';
import type { Session } from '../session.js';

/** The content of an empty list: why it is empty, and what to do. */
export function Empty({ session }: { session: Session }) {
  useEffect(() => {
    const { store, view, version, state, dialog, resetFilters } = session;
    const onRegister = () => {
      dialog.value = 'register';
    };
    const empty = createEmpty({ store, view, onRegister, onReset: resetFilters });
    return effect(() => {
      void version.value;
      empty.update(state.value);
    });
  }, [session]);
  return <div id="empty" hidden />;
}

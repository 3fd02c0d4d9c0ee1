import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyHelp } from '../keys.js';
import type { Session } from '../session.js';

/** The keys of the page. */
export function KeysDialog({ session: { dialog } }: { session: Session }) {
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = dialog.value === 'keys';
  useLayoutEffect(() => {
    if (isOpen) box.current?.showModal();
  }, [isOpen]);
  const onClose = () => {
    dialog.value = undefined;
  };
  return (
    <dialog ref={box} aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {keyHelp.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

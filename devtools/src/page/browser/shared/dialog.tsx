import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Session } from '../session.js';

interface Props {
  readonly session: Session;
  readonly name: NonNullable<Session['dialog']['value']>;
  /** What is in it. It exists only while the dialog is open. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A modal dialog, which `session.dialog` opens. Its heading has the id of its name with `-title`. */
export function Dialog({ session: { dialog }, name, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = dialog.value === name;
  // Before the next key is pressed. It focuses the first field.
  useLayoutEffect(() => {
    if (isOpen) box.current?.showModal();
  }, [isOpen]);
  const onClose = () => {
    if (isOpen) dialog.value = undefined;
  };
  return (
    <dialog ref={box} aria-labelledby={`${name}-title`} onClose={onClose}>
      {isOpen && children(() => box.current?.close())}
    </dialog>
  );
}

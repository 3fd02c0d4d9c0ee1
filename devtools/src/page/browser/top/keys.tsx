import type { Session } from '../session.js';
import { Dialog } from '../shared/dialog.js';

const keyHelp = [
  [['/'], 'Search'],
  [['j', '↓'], 'Next delivery'],
  [['k', '↑'], 'Previous delivery'],
  [['Enter'], 'Open the delivery'],
  [['→', '←'], 'Show or fold deliveries with one cause'],
  [['x'], 'Select a row, to resend or export several'],
  [['Esc'], 'Close, or back to the newest'],
  [['r'], 'Resend the open delivery'],
  [['e'], 'Edit it and send it again'],
  [['p'], 'Pause or resume the list'],
  [['c'], 'Open the controls'],
  [['?'], 'Show these keys'],
] as const;

const FIELDS = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';

/** Whether the focused element or the browser uses a key. */
const isTaken = ({ target, altKey, ctrlKey, metaKey, isComposing, defaultPrevented }: KeyboardEvent) =>
  altKey || ctrlKey || metaKey || isComposing || defaultPrevented || (target as Element).closest(FIELDS) !== null;

/** Clicks the control that is labelled with a key. Returns whether there is one. */
function press(key: string): boolean {
  const control = [...document.querySelectorAll<HTMLButtonElement>('[data-key]')].find(
    ({ dataset, disabled }) => dataset.key === key && !disabled,
  );
  control?.click();
  return control !== undefined;
}

function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('#filters input[type="search"]');
  search?.focus();
  search?.select();
  return search !== null;
}

/** Listens to keys on the whole page. Returns a function that stops it. */
export function listenToKeys(session: Session): () => void {
  const steps: Record<string, 1 | -1> = { j: 1, k: -1 };

  function act(key: string): boolean {
    const step = steps[key];
    if (step !== undefined) session.step(step);
    else if (key === '?') session.dialog.value = 'keys';
    else if (key === 'Escape') session.close();
    else if (key === '/') return focusSearch();
    else return press(key);
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isTaken(event) || document.querySelector('dialog[open]')) return;
    if (/^[a-z/?]$|^Escape$/.test(event.key) && act(event.key)) event.preventDefault();
  }
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}

/** The keys of the page. */
export const KeysDialog = ({ session }: { session: Session }) => (
  <Dialog session={session} name="keys">
    {() => (
      <>
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
      </>
    )}
  </Dialog>
);

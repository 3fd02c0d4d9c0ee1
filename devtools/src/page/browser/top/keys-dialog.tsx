import { keyHelp } from '../keys.js';
import type { Session } from '../session.js';
import { Dialog } from '../shared/dialog.js';

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

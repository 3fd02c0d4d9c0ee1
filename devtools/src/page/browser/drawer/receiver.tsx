import type { Session } from '../session.js';
import { Dialog } from '../shared/dialog.js';
import { visible } from '../shared/text.js';
import type { State } from '../types.js';
import { CommandLine } from './command-line.js';

export type First = NonNullable<State['firstRun']>;

/** The code of a first receiver, and how it is started. */
export function Receiver({ first }: { first: First }) {
  const { framework, file, snippet, install, secretCommand, asks } = first;
  return (
    <div class="receiver">
      {install && <CommandLine text={install} label="Install" />}
      <p class="mono">{visible(file)}</p>
      <CommandLine text={snippet} what="Code" label={`A receiver for ${framework}`} />
      <p>
        {asks
          ? 'Start it. It waits for the secret: paste it, and press Enter.'
          : 'Start it with its secret. Deliveries that wait for it come with their next attempt.'}
      </p>
      <CommandLine text={secretCommand} label="Start" />
    </div>
  );
}

/** The same in a dialog, for a webhook that is registered before its receiver exists. */
export const ReceiverDialog = ({ session, first }: { session: Session; first: First }) => (
  <Dialog session={session} name="receiver" class="broad">
    {(close) => (
      <>
        <h2 id="receiver-title">A receiver for {first.framework}</h2>
        <Receiver first={first} />
        <div class="buttons">
          <button type="button" class="primary" onClick={close}>
            Done
          </button>
        </div>
      </>
    )}
  </Dialog>
);

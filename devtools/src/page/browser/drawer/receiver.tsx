import { CommandLine } from '../shared/copy.js';
import type { State } from '../types.js';

/** The command that writes a first receiver, and how it is started. It opens. */
export function Receiver({ first }: { first: State['firstRun'] }) {
  if (first === undefined) return null;
  const { framework, line, secretCommand, asks } = first;
  return (
    <details class="receiver">
      <summary>No receiver yet? Write one for {framework}</summary>
      <CommandLine text="npx event-webhooks init" label="Write" />
      {line && (
        <>
          <p>Add it to your app:</p>
          <CommandLine text={line} what="Code" label={`The receiver for ${framework}`} />
        </>
      )}
      <p>
        {asks
          ? 'Start it. It waits for the secret: paste it, and press Enter.'
          : 'Start it with its secret. Deliveries that wait for it come with their next attempt.'}
      </p>
      <CommandLine text={secretCommand} label="Start" />
    </details>
  );
}

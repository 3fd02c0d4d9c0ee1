import { CommandLine } from '../shared/copy.js';
import { visible } from '../shared/text.js';
import type { State } from '../types.js';

/** The code of a first receiver, and how it is started. It opens. */
export function Receiver({ first }: { first: State['firstRun'] }) {
  if (first === undefined) return null;
  const { framework, file, snippet, install, secretCommand, asks } = first;
  return (
    <details class="receiver">
      <summary>No receiver yet? One for {framework}</summary>
      {install && <CommandLine text={install} label="Install" />}
      <p class="mono">{visible(file)}</p>
      <CommandLine text={snippet} what="Code" label={`A receiver for ${framework}`} />
      <p>
        {asks
          ? 'Start it. It waits for the secret: paste it, and press Enter.'
          : 'Start it with its secret. Deliveries that wait for it come with their next attempt.'}
      </p>
      <CommandLine text={secretCommand} label="Start" />
    </details>
  );
}

import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session.js';
import { CommandLine } from '../shared/copy.js';
import { LongText, line } from '../shared/text.js';
import type { Entry } from '../store.js';
import type { Detail, Finding, State } from '../types.js';

/** How many refusals are compared, and the fewest that make a pattern. */
const [MOST, LEAST] = [50, 5];
/** A pattern without a refusal among the last deliveries is over. */
const RECENT = 20;

/** The last refusals, if one cause explains all of them. */
export function commonCause(entries: readonly Entry[]): { count: number; newest: Entry } | undefined {
  let newest: Entry | undefined;
  let count = 0;
  for (let at = entries.length - 1; at >= 0 && count < MOST; at--) {
    const entry = entries[at] as Entry;
    const { verdict, cause, fault, recorded } = entry.summary;
    if (newest === undefined && entries.length - at > RECENT) return undefined;
    if (verdict !== 'refused' || recorded) continue;
    if (cause === undefined || fault !== undefined) return undefined;
    newest ??= entry;
    if (newest.summary.cause?.id !== cause.id) break;
    count++;
  }
  return newest && count >= LEAST ? { count, newest } : undefined;
}

/** Causes in the code of a receiver, which does not verify the raw body. */
const isOfCode = (cause: string) =>
  /^body-(reserialized|parsed|consumed|keys-reordered|numbers-rounded|stringified|double-encoded|buffer-serialized)$/.test(
    cause,
  );

/** The line of the app that a cause needs; nothing for other causes. */
export function Change({ cause, state }: { cause: string; state: State | undefined }) {
  const { framework, line: code } = state?.firstRun ?? {};
  if (!code || !isOfCode(cause)) return null;
  return (
    <details class="change">
      <summary>The change for {framework}</summary>
      <CommandLine text={code} what="Code" label={`The receiver for ${framework}`} />
    </details>
  );
}

/** Says that the last refusals have one cause, and what to change. It does not come or go while the list is on hold. */
export function Insight({ session }: { session: Session }) {
  const { store, api, state, isHeld } = session;
  const hidden = useSignal<string | undefined>(undefined);
  const common = useRef<ReturnType<typeof commonCause>>(undefined);
  const [found, setFound] = useState<Finding>();
  if (!isHeld.value) common.current = commonCause(store.all());
  const { count = 0, newest } = common.current ?? {};
  const cause = newest?.summary.cause;
  useEffect(() => {
    if (newest === undefined) return;
    void api.get(`deliveries/${encodeURIComponent(newest.summary.id)}`).then(
      ({ findings }: Detail) => setFound(findings.find((each) => each.cause === cause?.id)),
      () => {},
    );
  }, [api, cause?.id]);
  if (!newest || !cause || found?.cause !== cause.id || hidden.value === cause.id) return null;
  return (
    <section id="insight" class="refused" aria-label="One cause">
      <p title={found.fix}>
        <strong>
          Your last {count} refusals have one cause: {line(cause.text)}.
        </strong>{' '}
        <LongText text={found.fix} length={1000} />
      </p>
      <div class="buttons">
        <button type="button" onClick={() => session.open(newest.summary.id, 'key')}>
          Show the newest
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            hidden.value = cause.id;
          }}
        >
          Hide
        </button>
      </div>
      <Change cause={cause.id} state={state.value} />
    </section>
  );
}

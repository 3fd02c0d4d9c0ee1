import { useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { duration } from '../shared/format.js';
import { attempt } from '../shared/notices.js';
import type { Faults as Values } from '../types.js';

type Switch = Exclude<keyof Values, 'delayMs'>;

/** The faults that are on or off, in display order. */
const switches: readonly (readonly [key: Switch, title: string, hint: string])[] = [
  ['wrongSignature', 'Wrong signature', 'Signed with a line break after the secret'],
  ['oldTimestamp', 'Old timestamp', 'Authentic, but 50 minutes old'],
  ['tamperedBody', 'Tampered body', 'One byte changed after signing'],
  ['duplicate', 'Duplicates', 'Sent again after success'],
  ['reorder', 'Reordering', 'Sent after a later delivery'],
  ['droppedConnection', 'Dropped connection', 'Closed halfway through the body'],
];

const LONGEST_DELAY_MS = 600_000;

/** Sets faults. The page state shows the result. */
async function setFaults({ api, state }: Session, faults: Partial<Values>): Promise<void> {
  let answer: Values | undefined;
  await attempt(async () => {
    answer = await api.put('faults', faults);
  });
  // After a failure, a switch that was clicked goes back.
  if (state.value) state.value = { ...state.value, ...(answer && { faults: answer }) };
}

function Delay({ session, delayMs }: { session: Session; delayMs: number }) {
  const input = useRef<HTMLInputElement>(null);
  function commit(): void {
    const ms = Math.min(LONGEST_DELAY_MS, Math.max(0, Math.round(Number(input.current?.value) || 0)));
    if (ms !== delayMs) void setFaults(session, { delayMs: ms });
  }
  return (
    <div class="delay">
      <label for="fault-delay">Delay</label>
      <input
        ref={input}
        id="fault-delay"
        type="number"
        min={0}
        max={LONGEST_DELAY_MS}
        step={100}
        inputmode="numeric"
        // Keyed by the state's value: other updates leave what somebody is typing.
        key={delayMs}
        defaultValue={String(delayMs)}
        onChange={commit}
      />
      <span>ms</span>
    </div>
  );
}

/** Switches for the faults that the service injects. */
export function Faults({ session }: { session: Session }) {
  const faults = session.state.value?.faults;
  if (faults === undefined) return null;
  return (
    <section class="card faults">
      <h2>Faults</h2>
      {switches
        .filter(([key]) => faults[key] !== undefined)
        .map(([key, title, hint]) => (
          <div key={key} class="switch">
            <input
              type="checkbox"
              role="switch"
              id={`fault-${key}`}
              aria-describedby={`hint-${key}`}
              checked={faults[key]}
              aria-checked={faults[key]}
              onChange={({ currentTarget }) => void setFaults(session, { [key]: currentTarget.checked })}
            />
            <label for={`fault-${key}`}>{title}</label>
            <p id={`hint-${key}`} class="muted">
              {hint}
            </p>
          </div>
        ))}
      <Delay session={session} delayMs={faults.delayMs ?? 0} />
    </section>
  );
}

/** Says which faults are on. */
export function FaultBanner({ session }: { session: Session }) {
  const faults = session.state.value?.faults;
  const on = switches.filter(([key]) => faults?.[key]).map(([, title]) => title.toLowerCase());
  if (faults && faults.delayMs > 0) on.push(`delay of ${duration(faults.delayMs)}`);
  if (!faults || on.length === 0) return null;
  const off = Object.fromEntries(Object.keys(faults).map((key) => [key, key === 'delayMs' ? 0 : false]));
  return (
    <div id="fault-banner" class="banner refused">
      <p>
        <strong>Faults are on:</strong> {on.join(', ')}. Deliveries fail on purpose.
      </p>
      <button type="button" onClick={() => void setFaults(session, off)}>
        Turn all off
      </button>
    </div>
  );
}

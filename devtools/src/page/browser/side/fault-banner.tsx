import type { Session } from '../session.js';
import { duration } from '../shared/format.js';
import { setFaults, switches } from './faults.js';

/** Says which faults are on. */
export function FaultBanner({ session }: { session: Session }) {
  const faults = session.state.value?.faults;
  const on = switches.filter(([key]) => faults?.[key]).map(([, title]) => title.toLowerCase());
  if (faults && faults.delayMs > 0) on.push(`delay of ${duration(faults.delayMs)}`);
  if (!faults || on.length === 0) return null;
  const off = Object.fromEntries(Object.keys(faults).map((key) => [key, key === 'delayMs' ? 0 : false]));
  return (
    <div id="fault-banner" class="banner">
      <p>
        <strong>Faults are on:</strong> {on.join(', ')}. Deliveries fail on purpose.
      </p>
      <button type="button" onClick={() => void setFaults(session, off)}>
        Turn all off
      </button>
    </div>
  );
}

import type { Session } from '../session.js';

/** Says which faults are on. */
export const FaultBanner = (_: { session: Session }) => <div id="fault-banner" hidden />;

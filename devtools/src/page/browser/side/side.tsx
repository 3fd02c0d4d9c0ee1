import type { Session } from '../session.js';
import { Chart } from './chart.js';
import { Faults } from './faults.js';
import { Recordings } from './recordings.js';
import { Respond } from './respond.js';
import { Webhooks } from './webhooks.js';

/** The panel of controls. */
export const Side = ({ session }: { session: Session }) => (
  <>
    <Chart session={session} />
    <Webhooks session={session} />
    <Faults session={session} />
    <Respond session={session} />
    <Recordings session={session} />
  </>
);

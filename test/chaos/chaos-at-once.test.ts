import { describeChaos } from './suite.js';

// postgres.js ends the process when a connection breaks while it writes: its mode is run by hand (npm run chaos).
describeChaos('chaos: the same with ORMs, and with deliveries that are handled at once', ({ orm, atOnce, crashes }) =>
  Boolean((orm || atOnce) && !crashes),
);

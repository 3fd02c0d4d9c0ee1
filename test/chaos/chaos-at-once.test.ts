import { describeChaos } from './suite.js';

describeChaos('chaos: the same with ORMs, and with deliveries that are handled at once', ({ orm, atOnce }) =>
  Boolean(orm || atOnce),
);

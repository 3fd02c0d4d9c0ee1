import { describeChaos } from './suite.js';

describeChaos(
  'chaos: receivers that are killed, paused, cut off and ended, and servers that are killed, while events come in',
  ({ orm, atOnce }) => !orm && !atOnce,
);

import { findAnvil } from '../../examples/servers/anvil.js';

/** What stands in the title of a suite that needs a chain. */
export const hasAnvil = findAnvil() !== undefined;
export const needsAnvil = hasAnvil ? '' : ' (skipped: no anvil; ANVIL names one or it is on the PATH)';

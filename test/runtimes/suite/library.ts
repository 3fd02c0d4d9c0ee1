import type * as fetchAdapter from '../../../src/adapters/fetch.js';
import type * as schemas from '../../../src/events/schemas.js';
import type * as evm from '../../../src/evm/index.js';
import type * as root from '../../../src/index.js';
import type * as verify from '../../../src/signature/index.js';
import type * as testing from '../../../src/testing/index.js';

/** The package as the runtime loaded it, by its subpaths. The suite has nothing of it but types. */
export interface Library {
  readonly root: typeof root;
  readonly verify: typeof verify;
  readonly fetch: typeof fetchAdapter;
  readonly evm: typeof evm;
  readonly testing: typeof testing;
  readonly schemas: typeof schemas;
}

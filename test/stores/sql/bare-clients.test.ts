import { describeBareClients } from './servers.js';
import { describeWrapped } from './suites/contract.js';
import { describeLateHandlers } from './suites/late.js';

describeBareClients([describeWrapped, describeLateHandlers]);

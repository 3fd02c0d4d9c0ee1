import { describeBareClients, describeDrivers } from './servers.js';
import { describeEnded } from './suites/ended.js';

describeDrivers([describeEnded]);
describeBareClients([describeEnded]);

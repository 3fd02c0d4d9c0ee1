import { describeBareClients, describeDrivers } from './servers.js';
import { describeEnded } from './suites/ended.js';

describeDrivers([describeEnded]);
describeBareClients([(client, server) => describeEnded(client, server, true)]);

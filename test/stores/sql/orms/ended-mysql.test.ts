import { describeOrms } from '../servers.js';
import { describeEnded } from '../suites/ended.js';

await describeOrms([(client, server) => describeEnded(client, server, true)], ['mysql']);

import { describeOrms } from '../servers.js';
import { describeContract } from '../suites/contract.js';

await describeOrms([(client, server) => describeContract(client, server, [])], ['postgres']);

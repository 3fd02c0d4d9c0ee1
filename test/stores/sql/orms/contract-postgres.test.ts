import { describeOrms } from '../servers.js';
import { describeWrapped } from '../suites/contract.js';

await describeOrms([describeWrapped], ['postgres']);

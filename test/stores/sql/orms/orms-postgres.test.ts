import { describeOrms } from '../servers.js';
import { describeAll } from '../suites/all.js';

await describeOrms([describeAll], ['postgres']);

import { describeOrms } from '../servers.js';
import { describeEnded } from '../suites/ended.js';

await describeOrms([describeEnded], ['postgres']);

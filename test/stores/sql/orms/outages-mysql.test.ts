import { describeOrms } from '../servers.js';
import { describeOutages } from '../suites/outages.js';

await describeOrms([describeOutages], ['mysql']);

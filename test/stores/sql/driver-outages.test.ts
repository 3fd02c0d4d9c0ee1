import { describeDrivers } from './servers.js';
import { describeOutages } from './suites/outages.js';

describeDrivers([describeOutages]);

import { describeDrivers } from './servers.js';
import { describeContract } from './suites/contract.js';
import { describeOutages } from './suites/outages.js';

describeDrivers([describeContract, describeOutages]);

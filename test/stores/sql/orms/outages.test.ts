import { describeOrms } from '../servers.js';
import { describeContract } from '../suites/contract.js';
import { describeOutages } from '../suites/outages.js';

await describeOrms([describeContract, describeOutages]);

import { describeDrivers } from '../servers.js';
import { describeContract } from '../suites/contract.js';

describeDrivers([describeContract], ['mysql']);

import { describeOrms } from '../servers.js';
import { describeDeadlocks } from '../suites/deadlocks.js';
import { describeEach } from '../suites/each.js';
import { describeLateHandlers } from '../suites/late.js';
import { describeTransactional } from '../suites/transactional.js';

await describeOrms([describeTransactional, describeLateHandlers, describeDeadlocks, describeEach]);

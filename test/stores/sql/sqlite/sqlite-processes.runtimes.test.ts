import { binaryOf } from '../../../runtimes/installed.js';
import { describeProcesses } from './processes.js';

// Two runtimes that bring their own SQLite.
describeProcesses('fromNodeSqlite', binaryOf('node22') ?? 'node22', 'node:sqlite');
describeProcesses('fromBunSqlite', binaryOf('bun') ?? 'bun', 'bun:sqlite');

import { binaryOf } from '../../runtimes/installed.js';
import { describeProcesses } from './processes.js';

// Two runtimes that bring their own SQLite.
describeProcesses('node:sqlite', binaryOf('node22') ?? 'node22', 'node:sqlite');
describeProcesses('bun:sqlite', binaryOf('bun') ?? 'bun', 'bun:sqlite');

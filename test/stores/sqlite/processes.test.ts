import { describeProcesses } from './processes.js';

describeProcesses('libsql on this Node', process.execPath, 'libsql');

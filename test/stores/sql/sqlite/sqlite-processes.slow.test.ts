import { describeProcesses } from './processes.js';

describeProcesses('fromBetterSqlite3 with libsql', process.execPath, 'libsql');
describeProcesses('fromLibsql', process.execPath, '@libsql/client');

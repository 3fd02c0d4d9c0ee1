import type { Durations } from './dialect.js';
import { textOf } from './letter-texts.js';
import { type LogStatements, logStatements } from './log-statements.js';
import { later, lockOf, type MysqlTable, NOW, text } from './mysql-table.js';

export function mysqlLogs(table: MysqlTable, { retentionMs }: Pick<Durations, 'retentionMs'>): LogStatements {
  return logStatements({
    table: () => table.quoted,
    key: '`key`',
    text,
    // In hex, because the character set of the connection may differ.
    select: (column) => `HEX(${column})`,
    read: textOf,
    at: String,
    now: () => NOW,
    sinceMs: (column) => `${NOW} - ${column}`,
    ms: (column) => column,
    retained: () => later(retentionMs),
    isUnlocked: () => `IS_FREE_LOCK(${lockOf(table, '`key`')})`,
  });
}

import type { Run } from '../../../../src/stores/sql/index.js';
import { mysqlStatements } from '../../../../src/stores/sql/mysql.js';
import { tableOf } from '../../../../src/stores/sql/table.js';

export const KEYS = ['a', 'b'];
export const withErrno = (errno: number) => Object.assign(new Error(`error ${errno}`), { errno });

export type Answer = { rows?: readonly (readonly unknown[])[]; changed?: number } | Error;

/** A server that answers statements by the first text that they contain, and notes how they begin. */
export function server(answers: Readonly<Record<string, Answer | (() => Answer)>> = {}) {
  const log: string[] = [];
  const texts: string[] = [];
  const run: Run = async (text) => {
    texts.push(text);
    log.push(text.trim().split(/\s+/).slice(0, 3).join(' '));
    const found = Object.entries(answers).find(([part]) => text.includes(part))?.[1];
    const answer = typeof found === 'function' ? found() : (found ?? {});
    if (answer instanceof Error) throw answer;
    return { rows: (answer.rows ?? []).map((values) => ({ ...values })), changed: answer.changed };
  };
  return { run, log, texts };
}

export const statementsFor = (table = 'db.keys', leaseMs = 2000) =>
  mysqlStatements(tableOf(table, 'mysql'), { leaseMs, retentionMs: 1000 });

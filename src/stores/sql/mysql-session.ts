/** Settings of a session that change what later statements do. */
const SETTINGS = [
  'sql_mode',
  'autocommit',
  'time_zone',
  'foreign_key_checks',
  'unique_checks',
  'character_set_client',
  'character_set_results',
  'collation_connection',
  'innodb_lock_wait_timeout',
  'lock_wait_timeout',
  'sql_select_limit',
  'sql_safe_updates',
  'sql_log_bin',
];
const MYSQL = ['transaction_isolation', 'transaction_read_only', 'max_execution_time'];
const MARIADB = ['tx_isolation', 'tx_read_only', 'max_statement_time'];
const OTHERS = ['the role', 'the database'];

const settingsOf = (isMariadb: boolean) => [...SETTINGS, ...(isMariadb ? MARIADB : MYSQL)];

/** Selects the settings as one text. */
export function settingsText(isMariadb: boolean): string {
  const values = [...settingsOf(isMariadb).map((name) => `@@session.${name}`), 'CURRENT_ROLE()', 'DATABASE()'];
  return `CONCAT_WS('|', ${values.map((value) => `IFNULL(${value}, '')`).join(', ')})`;
}

/** The names of the settings that differ. */
export function changedSettings(isMariadb: boolean, before: string, after: string): string[] {
  const values = before.split('|');
  const names = [...settingsOf(isMariadb), ...OTHERS];
  return after.split('|').flatMap((value, index) => (value === values[index] ? [] : [names[index] ?? 'the database']));
}

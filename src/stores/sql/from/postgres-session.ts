/** Settings that a session has once it has run something in PL/pgSQL, as the store does. */
const LAZY = ['check_asserts', 'extra_errors', 'extra_warnings', 'print_strict_params', 'variable_conflict']
  .map((name) => `, 'plpgsql.${name}'`)
  .join('');

/**
 * What a handler can leave behind in a session of Postgres: settings, a role, temporary tables, prepared statements,
 * listeners and cursors. Releases locks of the session, which other statements would not show apart from the store's.
 */
export const SESSION = `SELECT md5(concat_ws(' ', current_user, session_user, pg_advisory_unlock_all(),
  (SELECT string_agg(name || '=' || setting, ',') FROM pg_settings
    WHERE name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable'${LAZY})),
  (SELECT string_agg(relname, ',' ORDER BY oid) FROM pg_class WHERE relnamespace = pg_my_temp_schema()),
  (SELECT string_agg(name, ',' ORDER BY name) FROM pg_prepared_statements WHERE from_sql),
  (SELECT string_agg(channel, ',' ORDER BY channel) FROM pg_listening_channels() AS channel),
  (SELECT count(*) FROM pg_cursors WHERE is_holdable)))`;

/**
 * The part of it that costs little, for handlers that ran nothing but plain statements: what a function may have set
 * that matters most to other handlers. `pg_settings` alone takes longer than a small transaction.
 */
export const SESSION_AFTER_PLAIN = `SELECT concat_ws(' ', current_user, session_user, pg_advisory_unlock_all(),
  ${[
    'search_path',
    'row_security',
    'session_replication_role',
    'default_transaction_isolation',
    'default_transaction_read_only',
    'TimeZone',
    'lock_timeout',
    'statement_timeout',
  ]
    .map((name) => `current_setting('${name}')`)
    .join(', ')})`;

const PLAIN = /^\s*(SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|VALUES)\b/i;
const NOT_PLAIN = /;|set_config|pg_advisory|dblink|\btemp/i;

/** Whether a statement of a driver, as a text or in an object, leaves nothing in the session unless a function does. */
export function isPlain(query: unknown): boolean {
  const text: unknown = typeof query === 'string' ? query : Object(query).text;
  return typeof text === 'string' && PLAIN.test(text) && !NOT_PLAIN.test(text);
}

import type { Run } from './run.js';
import { Relation, type Row } from './values.js';

const NAMESPACES = new Map([['public', 2200]]);

/** The tables of the server itself, with the columns that are asked for. Undefined for any other name. */
export function virtualRows(name: string, { server, session }: Run): readonly Row[] | undefined {
  switch (name) {
    case 'pg_stat_activity':
      return server.activity();
    case 'pg_settings':
      return [...session.settings()].map(([setting, value]) => ({ name: setting, setting: value }));
    case 'pg_class':
      return [...server.tables()].map(({ oid, name: full }) => {
        const [schema = '', relname = ''] = full.split('.');
        return { oid, relname, relnamespace: new Relation(NAMESPACES.get(schema) ?? oid, schema) };
      });
    // The model has none of these.
    case 'pg_prepared_statements':
    case 'pg_cursors':
    case 'pg_locks':
      return [];
    default:
      return undefined;
  }
}

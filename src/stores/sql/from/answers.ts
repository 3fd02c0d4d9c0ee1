import type { Answer } from '../database.js';

/** The result of a statement in pg, PGlite and mysql2. */
interface Result {
  readonly rows?: readonly object[];
  readonly rowCount?: number | null;
  readonly affectedRows?: number;
  readonly count?: number | null;
}

/** Reads the result of a client or an ORM: rows, an object with rows, or a pair of one of these and something else. */
export function answerOf(result: unknown): Answer {
  if (isPair(result)) return answerOf(result[0]);
  const { rows, rowCount, affectedRows, count } = Object(result) as Result;
  const changed = rowCount ?? affectedRows ?? count ?? undefined;
  return { rows: Array.isArray(result) ? [...result] : (rows ?? []), changed };
}

/** mysql2 adds the columns, other clients add counts. */
function isPair(result: unknown): result is [unknown, unknown] {
  if (!Array.isArray(result) || result.length !== 2) return false;
  return Array.isArray(result[0]) || 'affectedRows' in Object(result[0]);
}

import { usageError } from '../command-error.js';
import type { Edit } from './edit-json.js';
import { type JsonPath, readPath } from './json-path.js';

/** The options that change a body before it is signed. */
export interface EditOptions {
  readonly set?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/**
 * The edits that the options give, `--set` first.
 *
 * @throws CommandError `ERR_CLI_USAGE` when one has another form.
 */
export function readEdits({ set = [], remove = [] }: EditOptions): readonly Edit[] {
  return [...set.map(readSet), ...remove.map((text) => ({ path: pathOf(text), json: undefined }))];
}

const FORMS = 'such as data.event.name, data.event.inputs[0].value or [1].data["odd key"]';

function readSet(text: string): Edit {
  const found = readPath(text);
  if (found === undefined || text[found.end] !== '=')
    throw usageError(`--set must be PATH=VALUE with a path ${FORMS}.`);
  return { path: found.path, json: jsonOf(text.slice(found.end + 1)) };
}

function pathOf(text: string): JsonPath {
  const found = readPath(text);
  if (found === undefined || found.end < text.length) throw usageError(`--remove must be a path ${FORMS}.`);
  return found.path;
}

/** A value as it was written if it is JSON, so that numbers keep their digits; otherwise it is text. */
function jsonOf(value: string): string {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

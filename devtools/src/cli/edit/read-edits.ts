import { usageError } from '../command-error.js';

/** Steps into JSON: keys of objects and positions in arrays. */
export type JsonPath = readonly (string | number)[];

/** A change of one value of the events in a body. A path that starts with a key applies to every event. */
export interface Edit {
  readonly path: JsonPath;
  /** The new value as JSON text; undefined removes it. */
  readonly json: string | undefined;
}

/** The options that change a body before it is signed. */
export interface EditOptions {
  readonly set?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

const PATH = /^(?:[^.[\]"=\s]+|\[\d{1,9}\])(?:\.[^.[\]"=\s]+|\[\d{1,9}\])*(?==|$)/;
const STEP = /\[(\d+)\]|[^.[\]]+/g;
const FORMS = 'such as data.event.name, or [0].data.event.name for one event';

/**
 * The edits in the options, `--set` first.
 *
 * @throws CommandError `ERR_CLI_USAGE` when one has another form.
 */
export function readEdits({ set = [], remove = [] }: EditOptions): readonly Edit[] {
  return [
    ...set.map((text) => {
      const [path] = PATH.exec(text) ?? [];
      if (path === undefined || text[path.length] !== '=')
        throw usageError(`--set must be PATH=VALUE with a path ${FORMS}.`);
      return { path: stepsOf(path), json: jsonOf(text.slice(path.length + 1)) };
    }),
    ...remove.map((text) => {
      if (PATH.exec(text)?.[0] !== text) throw usageError(`--remove must be a path ${FORMS}.`);
      return { path: stepsOf(text), json: undefined };
    }),
  ];
}

const stepsOf = (path: string): JsonPath =>
  Array.from(path.matchAll(STEP), ([key, position]) => (position === undefined ? key : Number(position)));

/** A path in the form that {@link readEdits} takes. */
export const pathText = (path: JsonPath): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');

/** A value exactly as written if it is JSON, so that numbers keep their digits; otherwise as a JSON string. */
function jsonOf(value: string): string {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

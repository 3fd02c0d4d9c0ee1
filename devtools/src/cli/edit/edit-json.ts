import { inputError } from '../command-error.js';
import { type JsonPath, pathText } from './json-path.js';
import { afterSpace, type Member, membersAt } from './json-spans.js';

/** A change of one value of the events in a body. A path that starts with a key applies to every event. */
export interface Edit {
  readonly path: JsonPath;
  /** The new value as JSON text; undefined removes it. */
  readonly json: string | undefined;
}

/**
 * Changes values in a body. All other bytes stay as they are, so that numbers keep their digits.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the body is not JSON, or lacks what a path names.
 */
export function editBody(body: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return body;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    JSON.parse(text);
  } catch {
    throw inputError('--set and --remove need a body that is JSON.');
  }
  for (const edit of edits) text = editEach(text, edit);
  return Buffer.from(text);
}

function editEach(text: string, { path, json }: Edit): string {
  const start = afterSpace(text, 0);
  if (typeof path[0] === 'number' || text[start] !== '[') return editAt(text, start, path, json, path);
  const events = [...membersAt(text, start)];
  const parts: string[] = [];
  let copied = 0;
  for (const [at, { valueStart, end }] of events.entries()) {
    parts.push(text.slice(copied, valueStart), editAt(text.slice(valueStart, end), 0, path, json, [at, ...path]));
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}

/** @param whole The path in the body, for messages. */
function editAt(text: string, root: number, path: JsonPath, json: string | undefined, whole: JsonPath): string {
  const outside = whole.length - path.length;
  let container = root;
  for (const [depth, step] of path.slice(0, -1).entries()) {
    const member = memberOf(text, container, step, whole.slice(0, outside + depth));
    if (member === undefined) throw missing(whole.slice(0, outside + depth + 1));
    container = member.valueStart;
  }
  const last = path.at(-1) as string | number;
  const member = memberOf(text, container, last, whole.slice(0, -1));
  if (json === undefined) {
    if (member === undefined) throw missing(whole);
    return removed(text, container, last);
  }
  if (member) return text.slice(0, member.valueStart) + json + text.slice(member.end);
  return added(text, container, last, json, whole);
}

const missing = (path: JsonPath) =>
  inputError(`The body has no ${pathText(path)}. Paths that start with [0] apply to one event, others to each.`);

/** The member of an object or array. Of equal keys, parsers take the last. */
function memberOf(text: string, container: number, step: string | number, where: JsonPath): Member | undefined {
  const [opening, what] = typeof step === 'number' ? ['[', 'an array'] : ['{', 'an object'];
  if (text[container] !== opening) throw inputError(`${pathText(where) || 'The body'} is not ${what}.`);
  let found: Member | undefined;
  let at = 0;
  for (const member of membersAt(text, container)) if ((member.key ?? at++) === step) found = member;
  return found;
}

function removed(text: string, container: number, step: string | number): string {
  const members = [...membersAt(text, container)];
  const isKept = ({ key }: Member, at: number) => (key ?? at) !== step;
  const kept = members.filter(isKept).map(({ start, end }) => text.slice(start, end));
  const [first, last] = [members[0] as Member, members.at(-1) as Member];
  return text.slice(0, first.start) + kept.join(',') + text.slice(last.end);
}

/** Adds a member at the end of its container. */
function added(text: string, container: number, step: string | number, json: string, whole: JsonPath): string {
  const members = [...membersAt(text, container)];
  if (typeof step === 'number' && step !== members.length) throw missing(whole);
  const member = typeof step === 'number' ? json : `${JSON.stringify(step)}:${json}`;
  const end = members.at(-1)?.end;
  return end === undefined
    ? text.slice(0, container + 1) + member + text.slice(container + 1)
    : `${text.slice(0, end)},${member}${text.slice(end)}`;
}

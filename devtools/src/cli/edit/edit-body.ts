import { inputError } from '../command-error.js';
import { afterSpace, type Member, membersAt } from './json-members.js';
import { type Edit, type JsonPath, pathText } from './read-edits.js';

/**
 * Changes values in a body. All other bytes stay the same, so that numbers keep their digits.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the body is not JSON, or has no value at a path.
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
  if (typeof path[0] === 'number' || text[start] !== '[') return editAt(text, start, path, json, []);
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  for (const { valueStart, end } of membersAt(text, start)) {
    parts.push(text.slice(copied, valueStart), editAt(text.slice(valueStart, end), 0, path, json, [at++]));
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}

/** @param where The path of `root` in the body, for messages. */
function editAt(text: string, root: number, path: JsonPath, json: string | undefined, where: JsonPath): string {
  const [step, ...rest] = path as [string | number, ...JsonPath];
  const [opening, what] = typeof step === 'number' ? ['[', 'an array'] : ['{', 'an object'];
  if (text[root] !== opening) throw inputError(`${pathText(where) || 'The body'} is not ${what}.`);
  const members = [...membersAt(text, root)];
  const isNamed = ({ key }: Member, at: number) => (key ?? at) === step;
  // Parsers take the last of several equal keys.
  const member = members.findLast(isNamed);
  const [first, last] = [members[0], members.at(-1)];
  if (rest.length > 0 && member) return editAt(text, member.valueStart, rest, json, [...where, step]);
  if (rest.length === 0 && json !== undefined) {
    if (member) return text.slice(0, member.valueStart) + json + text.slice(member.end);
    const end = last?.end ?? root + 1;
    const added = `${last ? ',' : ''}${JSON.stringify(step)}:${json}`;
    if (typeof step === 'string') return text.slice(0, end) + added + text.slice(end);
  }
  if (!member || !first || !last) {
    const missing = pathText([...where, step]);
    throw inputError(`The body has no ${missing}. Paths that start with [0] apply to one event, others to each.`);
  }
  const kept = members.filter((each, at) => !isNamed(each, at)).map(({ start, end }) => text.slice(start, end));
  return text.slice(0, first.start) + kept.join(',') + text.slice(last.end);
}

/** Where a member of an object or an element of an array is in a JSON text. */
export interface Member {
  /** The member's key; undefined in an array. */
  readonly key: string | undefined;
  /** Position of its key, or in an array of its value. */
  readonly start: number;
  readonly valueStart: number;
  /** The position after its value. */
  readonly end: number;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The position of the next character that is not white space. */
export function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The members of the object, or the elements of the array, that starts at `start`. For text that JSON.parse accepts. */
export function* membersAt(text: string, start: number): Generator<Member> {
  const isObject = text[start] === '{';
  let at = afterSpace(text, start + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    const memberStart = at;
    let key: string | undefined;
    if (isObject) {
      const keyEnd = endOfString(text, at);
      key = JSON.parse(text.slice(at, keyEnd)) as string;
      at = afterSpace(text, afterSpace(text, keyEnd) + 1);
    }
    const end = endOfValue(text, at);
    yield { key, start: memberStart, valueStart: at, end };
    at = afterSpace(text, end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
}

/** The position after the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const character = text[at] as string;
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') {
      depth++;
      at++;
    } else if (character === '}' || character === ']') {
      depth--;
      at++;
    } else if (depth > 0) at++;
    else return endOfScalar(text, at);
  } while (depth > 0);
  return at;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]} \t\r\n'.includes(text[at] as string)) at++;
  return at;
}

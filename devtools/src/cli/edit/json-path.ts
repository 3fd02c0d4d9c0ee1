/** Steps into JSON: keys of objects and positions in arrays. */
export type JsonPath = readonly (string | number)[];

const STEP = /\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.[\]"=\s]+)/y;

/**
 * Reads a path such as `data.event.inputs[0].value` or `data["odd.key"]` from the start of a text.
 *
 * @returns The path and where it ends; undefined when the text does not start with one.
 */
export function readPath(text: string): { readonly path: JsonPath; readonly end: number } | undefined {
  const path: (string | number)[] = [];
  let end = 0;
  while (end < text.length && text[end] !== '=') {
    STEP.lastIndex = end;
    const [step, position, quoted, key] = STEP.exec(text) ?? [];
    if (step === undefined || (key !== undefined && step.startsWith('.') !== end > 0)) return undefined;
    if (position !== undefined) path.push(Number(position));
    else if (quoted === undefined) path.push(key as string);
    else {
      const parsed = unquoted(quoted);
      if (parsed === undefined) return undefined;
      path.push(parsed);
    }
    end += step.length;
  }
  return path.length === 0 ? undefined : { path, end };
}

function unquoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

const PLAIN = /^[^.[\]"=\s]+$/;

/** A path as {@link readPath} takes it. */
export function pathText(path: JsonPath): string {
  const text = path.map((step) =>
    typeof step === 'number' ? `[${step}]` : PLAIN.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
  );
  return text.join('').replace(/^\./, '');
}

/** Reads an attribute of an item in the form of either client. Items in errors always have attribute values. */
function attribute(item: object, name: string): unknown {
  const found: unknown = Reflect.get(item, name);
  if (typeof found !== 'object' || found === null) return found;
  // `value`: a NumberValue of the document client.
  for (const kind of ['S', 'N', 'BOOL', 'value']) {
    const value: unknown = Reflect.get(found, kind);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function textOf(item: object, name: string): string | undefined {
  const value = attribute(item, name);
  return value === undefined ? undefined : String(value);
}

export function numberOf(item: object, name: string): number | undefined {
  const value = attribute(item, name);
  return value === undefined ? undefined : Number(value);
}

/** Whether the key took effect, even if its record has expired. */
export const isDone = (item: object): boolean => attribute(item, 'done') === true;

export const isOwnedBy = (item: object, owner: string): boolean => attribute(item, 'owner') === owner;

export const isLetter = (item: object): boolean => attribute(item, 'letter') !== undefined;

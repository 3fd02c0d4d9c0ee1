const ordered = (value: unknown): unknown => {
  if (value === undefined) return '<undefined>';
  if (typeof value === 'bigint') return `<bigint ${value}>`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
};

const show = (value: unknown) => JSON.stringify(value, (_key, each) => ordered(each));

/** Throws unless both are the same data, whatever the order of keys. */
export function equal(actual: unknown, expected: unknown, what = 'it'): void {
  const [left, right] = [show(actual), show(expected)];
  if (left !== right) throw new Error(`${what} is ${left?.slice(0, 300)}, expected ${right?.slice(0, 300)}`);
}

/** Throws unless it holds. */
export function ok(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** What a call throws, or what its promise rejects with. Throws when it does neither. */
export async function thrownBy(
  call: () => unknown,
): Promise<{ code?: unknown; status?: unknown; message?: unknown; stack?: unknown }> {
  let value: unknown;
  try {
    value = await call();
  } catch (error) {
    return error as object;
  }
  throw new Error(`It gave ${show(value)}, and should have thrown.`);
}

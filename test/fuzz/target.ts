/** What is fuzzed: how bytes become an input, and the property that must hold for each. */
export interface Target {
  /** Inputs to start from, a character a byte. */
  readonly seeds: readonly string[];
  /** Tokens that inputs are made of, besides the literals of the code. */
  readonly dictionary?: readonly string[];
  /** Size of the largest input. (Default: 1024.) */
  readonly mostBytes?: number;
  /** Time of one input in ms, the shortest of three tries. (Default: 1000.) The thread is ended after five times that. */
  readonly mostMs?: number;
  /** Growth of the heap by one input, in MB. (Default: 64.) */
  readonly mostMegabytes?: number;
  setup?(): Promise<void>;
  /** Throws when the property does not hold. */
  run(input: Buffer): void | Promise<void>;
}

/** A property that does not hold. */
export class PropertyError extends Error {
  override readonly name = 'PropertyError';
}

export function check(holds: boolean, property: string): asserts holds {
  if (!holds) throw new PropertyError(property);
}

/** The error that `run` throws; undefined when it returns. */
export function thrownBy(run: () => unknown): { readonly error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Splits an input at its first `count - 1` separators; parts that are absent are empty. */
export function partsOf(input: Buffer, count: number, separator = '\n'): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  while (parts.length < count - 1) {
    const end = input.indexOf(separator, from, 'latin1');
    parts.push(input.subarray(from, end < 0 ? input.length : end));
    from = end < 0 ? input.length : end + separator.length;
  }
  return [...parts, input.subarray(from)];
}

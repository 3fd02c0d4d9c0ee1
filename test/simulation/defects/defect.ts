/** A change of the text of one file. */
export interface Patch {
  /** Path from the project, such as `src/stores/memory.ts`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A defect that the simulation puts into the code, to show that it is found. */
export interface Defect {
  readonly name: string;
  /** What is wrong with the code. */
  readonly about: string;
  readonly patches: readonly Patch[];
  /** The worlds that are searched for it. */
  readonly worlds: readonly string[];
  /** It is found within this many seeds of each world. */
  readonly foundWithin: number;
}

/** The text of a file with the defect. Throws for a patch that does not fit the file any more. */
export function patched(text: string, { file, find, replace }: Patch, name: string): string {
  const count = text.split(find).length - 1;
  if (count === 1) return text.replace(find, () => replace);
  throw new Error(`The defect "${name}" does not fit ${file}: its text occurs ${count} times instead of once.`);
}

import { bundleSubject, type Patch } from '../subject/load.js';

/** A defect that the simulation puts into the code, to show that it is found. */
export interface Defect {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The worlds that are searched for it. */
  readonly worlds: readonly string[];
  /** It is found within this many seeds of each world. */
  readonly foundWithin: number;
}

/** A defect by its texts: by file, what each text of it becomes. */
export function planted(
  name: string,
  worlds: readonly string[],
  foundWithin: number,
  files: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Defect {
  const patches = Object.entries(files).flatMap(([file, texts]) =>
    Object.entries(texts).map(([find, replace]) => ({ file, find, replace })),
  );
  return { name, patches, worlds, foundWithin };
}

/** Bundles the code with a defect. Throws for a defect that does not fit the code any more. */
export async function bundleWith({ name, patches }: Pick<Defect, 'name' | 'patches'>): Promise<string> {
  try {
    return await bundleSubject(patches);
  } catch (cause) {
    throw new Error(`The defect "${name}" does not fit the code: ${(cause as Error).message}`, { cause });
  }
}

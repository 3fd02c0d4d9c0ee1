import { bundleSubject, type Patch } from '../subject/load.js';

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

/** Bundles the code with a defect. Throws for a defect that does not fit the code any more. */
export async function bundleWith({ name, patches }: Pick<Defect, 'name' | 'patches'>): Promise<string> {
  try {
    return await bundleSubject(patches);
  } catch (cause) {
    throw new Error(`The defect "${name}" does not fit the code: ${(cause as Error).message}`, { cause });
  }
}

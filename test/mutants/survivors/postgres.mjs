/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [];

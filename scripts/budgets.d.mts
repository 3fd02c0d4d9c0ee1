export function budgetOf(subpath: string, runtime: string): number;

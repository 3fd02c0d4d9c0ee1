export interface Entry {
  readonly subpath: string;
  readonly specifier: string;
  readonly output: string;
  readonly source: string;
}
export function entriesOf(packageUrl: URL): Entry[];
export function entryPoints(packageUrl: URL): Record<string, string>;
export const PACKAGES: { readonly receiver: URL; readonly devtools: URL };

import type { HeaderLine } from './delivery-record.js';

/** A header as the receiver sees it: repeated values are joined. */
export function headerOf(headers: readonly HeaderLine[], name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join();
}

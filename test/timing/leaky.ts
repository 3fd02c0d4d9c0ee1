/** The comparison that must not be: it returns at the first difference. The control of the measurement. */
export function equalHex(a: string, b: string): boolean {
  for (let at = 0; at < 64; at++) if (a.charCodeAt(at) !== b.charCodeAt(at)) return false;
  return true;
}

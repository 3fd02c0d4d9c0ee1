/** Ways to break a delivery that a receiver must refuse. Each changes one thing; the rest is authentic. */
export const TAMPERS = {
  body: 'one digit of the body changed after signing',
  signature: 'one digit of the signature changed',
  timestamp: 'a timestamp one second after the signed one',
  secret: 'signed with another secret',
  stale: 'signed 50 minutes ago, as in a replay',
  ahead: 'signed for 50 minutes from now',
  unsigned: 'without signature and timestamp',
  truncated: 'half of the signature',
  padded: 'the signature with non-hex letters appended',
  reserialized: 'the same JSON, serialized again after signing',
  seam: 'the first digit of the timestamp moved to the end of the body, which keeps the signature valid',
} as const;

export type TamperName = keyof typeof TAMPERS;
export const tamperNames = Object.keys(TAMPERS) as TamperName[];

import type { Claim } from './lease-claims.js';

/** A run that began, with the token that its handler got. */
export interface Begun {
  readonly claim: Claim;
  readonly token: bigint | undefined;
}

/**
 * What is wrong with the tokens of runs that began in one turn, if anything. All get the least token of their claims; that
 * of a run for one key is larger than those of the runs whose claims were granted before. The order in which the runs begin
 * may be another one: if the clock of the server ends a lease early, the fence refuses the older run.
 */
export function flawOfTokens(begun: readonly Begun[], claimsOf: (key: string) => readonly Claim[]): string | undefined {
  const tokens = begun.flatMap(({ claim: { token } }) => (token === undefined ? [] : [token]));
  const least = tokens.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  for (const { claim, token } of begun) {
    if (token !== least) return `${claim.key} has ${token}, and the least of its claims is ${least}.`;
    if (token === undefined || begun.length > 1) continue;
    const isPast = (other: Claim) =>
      other.run && grantedAt(other) < grantedAt(claim) && other.token !== undefined && other.token >= token;
    if (claimsOf(claim.key).some(isPast)) return `${claim.key} has ${token}, and an earlier claim had a larger one.`;
  }
  return undefined;
}

function grantedAt({ grants }: Claim): number {
  return grants[0]?.at ?? 0;
}

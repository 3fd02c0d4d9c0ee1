import { type Claim, isGrantedBefore } from './lease-claims.js';

/** A run that began under a claim, with the fencing token that it got. */
export interface Begun {
  readonly claim: Claim;
  readonly token: bigint | undefined;
}

/** What is wrong with the tokens of the runs that began in one step. */
export function flawOfTokens(begun: readonly Begun[], claimsOf: (key: string) => readonly Claim[]): string | undefined {
  const tokens = begun.flatMap(({ claim: { token } }) => (token === undefined ? [] : [token]));
  const least = tokens.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  for (const { claim, token } of begun) {
    if (token !== least) return `${claim.key} has ${token}: the least of its claims is ${least}.`;
    if (token === undefined || begun.length > 1) continue;
    const other = claimsOf(claim.key).find(
      (each) => each.run && each.token !== undefined && each.token >= token && isGrantedBefore(each, claim),
    );
    if (other) return `${claim.key} has ${token}: a run that was granted the key before had ${other.token}.`;
  }
  return undefined;
}

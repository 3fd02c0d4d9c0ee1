import type { SmallClaim, SmallProcess } from './small-process.js';
import type { SmallWorld } from './small-world.js';

/** What truly happened to the one key of a small world, and what must hold. */
export class KeyLedger {
  /** The claims under which the event took effect, in order. */
  readonly effects: SmallClaim[] = [];
  readonly #claims = new Map<string, SmallClaim>();

  constructor(private readonly world: SmallWorld) {
    world.add({
      state: () =>
        this.effects
          .map(
            ({ owner, isReleased, isRecorded, expiresAt }) =>
              `${owner} ${isReleased} ${isRecorded} ${world.until(expiresAt)}`,
          )
          .join(),
    });
  }

  /** The server has given the key to an owner. */
  granted(owner: string, expiresAt: number): SmallClaim {
    const claim = { owner, expiresAt, isReleased: false, isRecorded: false };
    this.#claims.set(owner, claim);
    return claim;
  }

  claimOf(owner: string): SmallClaim | undefined {
    return this.#claims.get(owner);
  }

  /** The server has freed the key of an owner. */
  released(owner: string): void {
    const claim = this.#claims.get(owner);
    if (claim) claim.isReleased = true;
  }

  /** A handler begins in the turn in which its process has heard of the claim. */
  begin(process: SmallProcess): SmallClaim {
    const { now } = this.world;
    const { claim } = process;
    if (claim === undefined) return this.world.fail('began without a claim', `${process.name} has claimed nothing.`);
    if (claim.expiresAt <= now) {
      this.world.fail('began after its lease', `The lease of ${claim.owner} ended at ${claim.expiresAt} ms.`);
    }
    for (const { name, running } of this.world.small) {
      for (const other of running) {
        if (other.claim === claim || other.claim.expiresAt <= now) continue;
        this.world.fail('overtaken within its lease', `${process.name} begins while ${name} runs within its lease.`);
      }
    }
    return claim;
  }

  /** The server has recorded the effect of an owner. */
  recorded(owner: string): void {
    const claim = this.#claims.get(owner);
    if (claim) claim.isRecorded = true;
  }

  /** A second effect needs a lease that ended: that of its run, or that of a first one before it was recorded. */
  effect(claim: SmallClaim): void {
    const { now } = this.world;
    for (const first of this.effects) {
      const isForgotten = !first.isRecorded && !first.isReleased && first.expiresAt <= now;
      if (!isForgotten && claim.expiresAt > now) {
        this.world.fail('effect twice without a cause', `The effect of ${first.owner} was forgotten.`);
      }
    }
    this.effects.push(claim);
  }

  acknowledged(process: SmallProcess): void {
    if (this.effects.length > 0) return;
    this.world.fail('acknowledged without effect', `${process.name} has answered 200, and nothing took effect.`);
  }
}

import { type Claim, type Leases, leasedStore } from 'event-webhook-receiver/stores/leased';
import { describe, expect, it } from 'vitest';
import { storeContract } from '../../src/store-contract/index.js';

interface Row {
  readonly owner: string;
  readonly done: boolean;
}

/** Leases in memory, without their times. Each wrong one changes a rule. */
class RightLeases implements Leases {
  readonly rows = new Map<string, Row>();
  tokens = 0n;

  async claim(key: string, owner: string): Promise<Claim> {
    const row = this.rows.get(key);
    if (row?.done) return 'duplicate';
    if (row && row.owner !== owner) return 'in-progress';
    this.rows.set(key, { owner, done: false });
    return ++this.tokens;
  }

  async record(key: string, owner: string): Promise<boolean> {
    const row = this.rows.get(key);
    if (row && row.owner !== owner) return false;
    this.rows.set(key, { owner, done: true });
    return true;
  }

  async release(key: string, owner: string): Promise<void> {
    const row = this.rows.get(key);
    if (row?.owner === owner && !row.done) this.rows.delete(key);
  }
}

/** `INSERT … ON CONFLICT DO NOTHING`: does not know its own claim again. */
class RefusesItsOwnClaim extends RightLeases {
  override async claim(key: string, owner: string) {
    const row = this.rows.get(key);
    return row && !row.done ? 'in-progress' : super.claim(key, owner);
  }
}

/** Compares the owner and not whether the key has been recorded. */
class ClaimsItsOwnRecord extends RightLeases {
  override async claim(key: string, owner: string) {
    if (this.rows.get(key)?.owner === owner) this.rows.delete(key);
    return super.claim(key, owner);
  }
}

class ReleasesRecords extends RightLeases {
  override async release(key: string, owner: string) {
    if (this.rows.get(key)?.owner === owner) this.rows.delete(key);
  }
}

class ReleasesClaimsOfOthers extends RightLeases {
  override async release(key: string) {
    if (!this.rows.get(key)?.done) this.rows.delete(key);
  }
}

/** `UPDATE … WHERE owner = ? AND NOT done`: says of a repeated record that it failed. */
class RecordsOnce extends RightLeases {
  override async record(key: string, owner: string) {
    return !this.rows.get(key)?.done && super.record(key, owner);
  }
}

class RecordsKeysOfOthers extends RightLeases {
  override async record(key: string, owner: string) {
    this.rows.delete(key);
    return super.record(key, owner);
  }
}

/** `UPDATE` alone: records nothing if the row is gone. */
class NeedsTheClaim extends RightLeases {
  override async record(key: string, owner: string) {
    return this.rows.has(key) && super.record(key, owner);
  }
}

class CountsBackwards extends RightLeases {
  override async claim(key: string, owner: string) {
    this.tokens -= 2n;
    return super.claim(key, owner);
  }
}

class RecordsInSilence extends RightLeases {
  override async record(key: string, owner: string) {
    await super.record(key, owner);
    return undefined as unknown as boolean;
  }
}

const CLAIM = 'claim gives its owner the same answer again';
const RECORD = 'record gives its owner the same answer again';
const UNDONE = 'neither a claim nor a release that arrives again late undoes a record';
const SUCCESSOR = 'no write that arrives again late changes the claim of a successor';
const GONE = 'record records a key that is gone';

describe('storeContract with leases', () => {
  it.each([
    [RefusesItsOwnClaim, CLAIM],
    [ClaimsItsOwnRecord, UNDONE],
    [ReleasesRecords, UNDONE],
    [ReleasesClaimsOfOthers, SUCCESSOR],
    [RecordsOnce, RECORD],
    [RecordsKeysOfOthers, RECORD],
    [NeedsTheClaim, GONE],
    [CountsBackwards, CLAIM],
    [RecordsInSilence, RECORD],
  ])('finds the mistake of %o', async (Wrong, title) => {
    const leases = new Wrong();
    let failure: Promise<string> | undefined;
    storeContract(() => leasedStore(leases), {
      test(name, run) {
        if (name === `the writes of a lease store: ${title}`) failure = run().then(String, ({ message }) => message);
      },
      leases: async () => leases,
    });
    expect(await failure).toMatch(/: expected .+, got .+\. In production .+\.$/s);
  });
});

// The invariants of lease modes. The oracle hears of every call when the process makes it, when the server serves it and
// when the process is told, so it knows who has a key and why. Its own account of the leases is kept by the clock of the
// server and by what was asked, not by what the code of the store or its scripts believe.
//
// `overtaken within its lease`: a run begins while another run of its key is under way whose lease, by the clock of the
//   server, was not over when the claim of the new run was granted.
// `began after its lease`: a run begins although the clocks of its process show that the time of a handler, which ends before
//   its lease, has passed since the claim was asked for. Sleep that stops the monotonic clock and a wall clock that is set
//   back can hide time, so what the clocks show counts.
// `began without a claim`: no claim that was granted and told belongs to the run.
// `stuck key`: a claim is refused as in progress although nobody has the key: the claim that was granted last was released
//   or is older than a lease, or the refused owner has it itself, or the key is recorded; or a process knows of its claim
//   and, at the end of the turn, neither handles it nor has asked to record or to release it.
// `record of another`: a record is taken although another owner has the key.
// `record refused`: a record is refused although no other owner has the key.
// `effect twice without a cause`: see double-effects.ts.
// `fencing token did not grow`: see fencing-tokens.ts.
// `acknowledged without a record`: an event is acknowledged and the server has not recorded its key.
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import type { World } from '../kernel/world.js';
import { flawOfDouble, type LeaseTimes } from './double-effects.js';
import { type Begun, flawOfTokens } from './fencing-tokens.js';
import { Claim, canBegin, heldFor, isAlive, isUnrecorded, type LeaseCall } from './lease-claims.js';
import type { Ledger, Run } from './ledger.js';
import { Silence } from './silence.js';

export interface LeaseSettings extends LeaseTimes {
  /** How long a handler may take. */
  readonly handlerMs: number;
  /** Whose clock the leases are kept by. */
  readonly server: Server;
  /** Whether the store stops to send when its client does not answer. */
  readonly pausesInSilence: boolean;
}

/** What a process learns of a call. */
export interface Told {
  /** `words`: for each key. */
  answered(words: readonly unknown[]): void;
  failed(): void;
}

export class Leases {
  readonly #claims = new Map<string, Claim[]>();
  readonly #owned = new Map<string, Claim[]>();
  /** The claim that was granted last. */
  readonly #last = new Map<string, Claim>();
  readonly #silence: Silence;
  /** How many effects of each event have been explained. */
  readonly #explained = new Map<string, number>();
  /** The claims that a process knows of, and for which it has asked nothing of the server since. */
  readonly #open = new Set<Claim>();
  /** The runs that began in this step, with their tokens. */
  #begun: Begun[] = [];

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
    private readonly settings: LeaseSettings,
  ) {
    this.#silence = new Silence(world, settings.pausesInSilence ? settings.timeoutMs : Number.POSITIVE_INFINITY);
    world.check(() => this.#check());
  }

  /** A process makes a call, in its turn. */
  asked(process: Process, call: LeaseCall, keys: readonly string[], owners: readonly string[]): Told {
    const claims = keys.map((key, index) => this.#ask(process, call, key, owners[index] ?? ''));
    const tries = claims.map((claim) => (call === 'record' ? claim.recordTries.at(-1) : undefined));
    const heard = this.#silence.asked(process);
    return {
      answered: (words) => {
        heard();
        for (const [index, claim] of claims.entries()) {
          if (call !== 'claim') continue;
          const word = words[index];
          claim.told = isClaimed(word) ? 'claimed' : 'refused';
          if (typeof word === 'bigint') claim.token = word;
          if (claim.told === 'claimed') this.#open.add(claim);
        }
      },
      failed: () => {
        heard();
        for (const [index, each] of tries.entries()) {
          // Where each key is a call, the store tries again when all calls have settled.
          const isAlone = keys.length > 1 || this.#owned.get(owners[index] ?? '')?.length === 1;
          if (each && isAlone) each.failedAt = process.time;
        }
        if (call !== 'claim') return;
        for (const claim of claims) {
          claim.told = 'failed';
          this.#open.add(claim);
        }
      },
    };
  }

  #ask(process: Process, call: LeaseCall, key: string, owner: string): Claim {
    const all = this.#claims.get(key) ?? [];
    this.#claims.set(key, all);
    if (call === 'claim') {
      const claim = new Claim(process, key, owner);
      all.push(claim);
      const owned = this.#owned.get(owner);
      if (owned) owned.push(claim);
      else this.#owned.set(owner, [claim]);
      return claim;
    }
    const claim = this.#claimOf(key, owner);
    if (claim === undefined) this.world.fail('call without a claim', `${call} ${key} by ${owner}`);
    this.#open.delete(claim);
    if (call === 'release') claim.releaseAskedAt ??= process.time;
    else claim.recordTries.push({ askedAt: process.time, failedAt: undefined });
    return claim;
  }

  #claimOf(key: string, owner: string): Claim | undefined {
    return this.#claims.get(key)?.findLast((claim) => claim.owner === owner);
  }

  /** The server serves a call for one key. */
  served(call: LeaseCall, key: string, owner: string, word: unknown): void {
    const { now, history } = this.world;
    history.add(this.settings.server.name, `${call} ${key}`, { owner: owner.slice(-4), word });
    const claim = this.#claimOf(key, owner);
    if (claim === undefined) return;
    if (call === 'claim') {
      if (word === 'in-progress') this.#checkRefusal(key, claim);
      if (!isClaimed(word)) return;
      this.#grant(claim);
    } else if (call === 'release') {
      if (this.#last.get(key) !== claim) return;
      claim.releasedAt = now;
      claim.isReleased = true;
    } else if (word === 'recorded' || word === true) {
      this.#checkRecord(key, claim);
      claim.recordedAt ??= now;
    } else {
      claim.recordRefusedAt ??= now;
      if (!this.#isTakenFrom(claim)) this.world.fail('record refused', `Nobody but ${owner} has ${key}.`);
    }
  }

  /** Whether another owner has recorded the key, or has it. A table may keep the row of a lease that has ended. */
  #isTakenFrom(claim: Claim): boolean {
    const last = this.#last.get(claim.key);
    if (last !== undefined && last !== claim && !last.isReleased) return true;
    return (this.#claims.get(claim.key) ?? []).some((each) => each !== claim && each.recordedAt !== undefined);
  }

  #grant(claim: Claim): void {
    const { server, leaseMs } = this.settings;
    const wall = server.wall();
    for (const other of this.#claims.get(claim.key) ?? []) {
      if (other === claim || other.isOver || other.grants.length === 0 || other.isReleased) continue;
      if (heldFor(other, wall) >= leaseMs) other.isOver = true;
      else claim.robbed.add(other);
    }
    claim.isOver = false;
    claim.isReleased = false;
    claim.grants.push({ at: this.world.now, wall });
    this.#last.set(claim.key, claim);
  }

  /** The claim that has a key, or has recorded it. A lease that ends in this millisecond may be over or not. */
  #holderOf(key: string): Claim | undefined {
    const { server, leaseMs } = this.settings;
    const recorded = this.#claims.get(key)?.find(({ recordedAt }) => recordedAt !== undefined);
    const last = this.#last.get(key);
    if (recorded || last === undefined || last.isReleased) return recorded;
    return heldFor(last, server.wall()) <= leaseMs + 1 ? last : undefined;
  }

  /** No record takes the key of another owner, whose lease is not over. A lease may end in this millisecond. */
  #checkRecord(key: string, claim: Claim): void {
    const last = this.#last.get(key);
    if (last === undefined || last === claim || last.recordedAt !== undefined || last.isReleased) return;
    if (heldFor(last, this.settings.server.wall()) >= this.settings.leaseMs - 1) return;
    this.world.fail('record of another', `${claim.process.name} records ${key}, which ${last.process.name} has.`);
  }

  #checkRefusal(key: string, refused: Claim): void {
    const holder = this.#holderOf(key);
    if (holder === refused) this.world.fail('stuck key', `${key} is refused to the owner that has it.`);
    if (holder === undefined) this.world.fail('stuck key', `${key} is refused, and nobody has it.`);
    if (holder.recordedAt !== undefined) {
      this.world.fail('stuck key', `${key} took effect, and is refused as in progress.`);
    }
  }

  /**
   * A process that knows of a claim, and of all others of its owner, runs it or asks the server to record or to release it,
   * in the same turn.
   */
  #checkOpen(): void {
    for (const claim of this.#open) {
      const { process, run, key, owner } = claim;
      if (this.#owned.get(owner)?.some(({ told }) => told === undefined)) continue;
      if (isAlive(claim) && run && this.ledger.isRunning(run)) continue;
      this.#open.delete(claim);
      if (!isAlive(claim) || this.#silence.lastOf(process) >= this.world.now) continue;
      this.world.fail('stuck key', `${process.name} has ${key}, does not handle it, and asks the server for nothing.`);
    }
  }

  /** A handler begins, in a turn of its process. */
  began(run: Run, fencingToken?: bigint): void {
    const { process, key } = run;
    const claims = this.#claims.get(key) ?? [];
    const claim = claims.findLast((each) => canBegin(each, run));
    const [grant] = claim?.grants ?? [];
    if (claim === undefined || grant === undefined) {
      this.world.fail('began without a claim', `${process.name} handles ${run.id}.`);
    }
    claim.run = run;
    this.#begun.push({ claim, token: fencingToken });
    this.#checkLease(claim);
    for (const { run: other } of claim.robbed) {
      if (!other || !this.ledger.isRunning(other)) continue;
      this.world.fail('overtaken within its lease', `${other.process.name} still handles ${key}.`);
    }
  }

  #checkLease({ process, key, askedOn }: Claim): void {
    const { handlerMs } = this.settings;
    const { wall, monotonic } = process.peek();
    const ms = Math.max(wall - askedOn.wall, monotonic - askedOn.monotonic);
    // The clocks are compared in whole milliseconds.
    if (ms <= handlerMs + 2) return;
    this.world.fail('began after its lease', `${process.name} begins ${key} ${ms} ms after it asked for it.`);
  }

  /** A delivery of these keys is answered 200. */
  acknowledged(keys: readonly string[]): void {
    for (const key of keys) {
      const isRecorded = this.#claims.get(key)?.some(({ recordedAt }) => recordedAt !== undefined);
      if (!isRecorded) this.world.fail('acknowledged without a record', `The server has no record of ${key}.`);
    }
  }

  /** The keys that took effect in the life of a process, and of which the server has neither taken nor refused the record. */
  unrecordedOf(process: Process): string[] {
    const own = [...this.#claims.values()]
      .flat()
      .filter((each) => each.process === process && each.life === process.life);
    return own.filter(isUnrecorded).map(({ key }) => key);
  }

  /** A lease that was over may have been forgotten, even if the clock of the server is set back. */
  #noteEnds(): void {
    const { server, leaseMs } = this.settings;
    const wall = server.wall();
    for (const claim of this.#last.values()) if (heldFor(claim, wall) >= leaseMs) claim.isOver = true;
  }

  #check(): void {
    this.#silence.note();
    this.#noteEnds();
    this.#checkOpen();
    if (this.#begun.length > 0) this.#checkTokens();
    for (const [key, claims] of this.#claims) {
      const id = claims.find(({ run }) => run)?.run?.id;
      if (id === undefined) continue;
      const effects = this.ledger.effectsOf(id);
      for (let index = this.#explained.get(key) ?? 0; index < effects.length; index++) {
        this.#explain(claims, effects.slice(0, index + 1));
        this.#explained.set(key, index + 1);
      }
    }
  }

  /** Explains the last effect beside all earlier ones. */
  #explain(claims: readonly Claim[], effects: readonly Run[]): void {
    const all = effects.map((run) => claims.find((claim) => claim.run === run));
    const latest = all.pop();
    for (const earlier of all) {
      if (latest === undefined || earlier === undefined) continue;
      const isInOrder = (earlier.grants[0]?.at ?? 0) <= (latest.grants[0]?.at ?? 0);
      const [first, second] = isInOrder ? [earlier, latest] : [latest, earlier];
      const flaw = flawOfDouble(first, second, this.settings, this.#silence.lastOf(first.process));
      if (flaw === undefined) continue;
      const what = `${first.key} took effect in ${first.process.name} and again in ${second.process.name}: ${flaw}.`;
      this.world.fail('effect twice without a cause', what);
    }
  }

  #checkTokens(): void {
    const flaw = flawOfTokens(this.#begun, (key) => this.#claims.get(key) ?? []);
    this.#begun = [];
    if (flaw !== undefined) this.world.fail('fencing token did not grow', flaw);
  }
}

/** Whether a word grants a claim: a bigint is its token. */
const isClaimed = (word: unknown) => word === 'claimed' || word === 'abandoned' || typeof word === 'bigint';

import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { PostgresService } from '../models/pg/service.js';
import type { Result } from '../models/postgres/server.js';

interface Claim {
  /** When the server made it, in true ms. */
  readonly at: number;
  readonly token: bigint;
}

/** The keys of a claim: a claim alone answers with the id of its transaction. */
const ASKED = /true, [\s\S]* unnest\(ARRAY\[([^\]]*)\]\) AS wanted[\s\S]* RETURNING key, owner/;

/**
 * The claims of transactions, as the server sees them. A claim never waits for another run. It refuses a key only if the key
 * is recorded, or if another transaction claimed it within the last lease. The fencing tokens of a key grow. A handler
 * begins within the lease of its claim.
 */
export class Claims {
  readonly #world: World;
  readonly #service: PostgresService;
  readonly #leaseMs: number;
  /** Before version 17 the server limits only idle transactions, so that a handler's statements prolong them. */
  readonly #isLimited: boolean;
  readonly #last = new Map<string, Claim>();
  readonly #byToken = new Map<bigint, Claim>();

  constructor(world: World, service: PostgresService, leaseMs: number) {
    this.#world = world;
    this.#service = service;
    this.#leaseMs = leaseMs;
    this.#isLimited = service.database.version >= 17;
    service.onAnswer.push((text, results, tookMs) => this.#answered(text, results, tookMs));
  }

  /** Called when a handler begins. */
  began(process: Process, fencingToken: bigint | undefined): void {
    const claim = fencingToken === undefined ? undefined : this.#byToken.get(fencingToken);
    if (!claim) this.#world.fail('began without a claim', `Nobody claimed the token ${fencingToken}.`);
    if (process.time - claim.at >= this.#leaseMs) {
      this.#world.fail('began after its lease', `Claimed at ${claim.at} ms, begun at ${process.time} ms.`);
    }
  }

  #answered(text: string, results: readonly Result[] | undefined, tookMs: number): void {
    const asked = ASKED.exec(text)?.[1];
    if (asked === undefined) return;
    if (tookMs > 0) this.#world.fail('a claim waits', `The server ran it for ${tookMs} ms.`);
    if (!results) return;
    const rows = results.at(-1)?.rows as { readonly key: string; readonly owner: string }[];
    const tokens = new Map(rows.map(({ key, owner }) => [key, BigInt(owner)]));
    for (const key of asked.split(', ').map((quoted) => quoted.slice(1, -1))) {
      const token = tokens.get(key);
      if (token === undefined) this.#refused(key);
      else this.#claimed(key, token);
    }
  }

  #claimed(key: string, token: bigint): void {
    const last = this.#last.get(key);
    if (last && token <= last.token) {
      this.#world.fail('fencing token did not grow', `${key} got ${token} after ${last.token}.`);
    }
    const claim = { at: this.#world.now, token };
    this.#last.set(key, claim);
    if (!this.#byToken.has(token)) this.#byToken.set(token, claim);
  }

  #refused(key: string): void {
    const { database, server } = this.#service;
    const isRecorded = database.table('webhook_idempotency_keys').some((row) => Reflect.get(row, 'key') === key);
    if (isRecorded || !this.#isLimited) return;
    const last = this.#last.get(key);
    // A frozen server ends transactions when it wakes.
    const frozenMs = server.pauses.reduce((sum, { from, to }) => sum + to - from, 0);
    if (!last || this.#world.now - last.at > this.#leaseMs + frozenMs + 1) {
      this.#world.fail('stuck key', `${key} is refused. Its last claim was made at ${last?.at} ms.`);
    }
  }
}

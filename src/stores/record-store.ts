/** A readable description of the event of a key, as it arrived. Stores cut each text after 200 characters. */
export interface KeyRecord {
  readonly source?: string | undefined;
  /** How the event arrived: `webhook`, or `via` of `handleEvents`. */
  readonly via?: string | undefined;
  /** The kind of the event, such as `event.emitted`. */
  readonly kind: string;
  readonly eventId: string;
  /** The delivery's timestamp, in epoch milliseconds. */
  readonly receivedAt?: number | undefined;
}

/** The fields of a record that are known. */
export type SomeRecord = { readonly [Field in keyof KeyRecord]?: KeyRecord[Field] | undefined };

/**
 * State of an event. `in-progress`: a run has the key. `handled`: it took effect. `reverted`: its block left the
 * chain, so it has no effect. `failed`: its handler failed, and a redelivery runs it again. `dead-lettered`: it is a dead
 * letter. `discarded`: its dead letter was discarded. `abandoned`: the lease of its run ended without a result, as when
 * its process was killed; a redelivery runs it again. `unknown`: a transaction ended without the store, and nothing runs
 * until you settle the key.
 */
export type RecordState =
  | 'in-progress'
  | 'handled'
  | 'reverted'
  | 'failed'
  | 'dead-lettered'
  | 'discarded'
  | 'abandoned'
  | 'unknown';

/** The record of a key. A field is absent if the store does not keep it. Times are in epoch milliseconds. */
export interface StoredRecord extends SomeRecord {
  readonly state: RecordState;
  /** How often the handler failed, if the receiver has `deadLetters`. */
  readonly attempts: number;
  /** Code and message of the last failure, until the event takes effect. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly lastFailedAt?: number | undefined;
  /** When the last run claimed the key, and when its effect was recorded, on the store's clock. */
  readonly claimedAt?: number | undefined;
  readonly doneAt?: number | undefined;
}

/** Reads records by their keys as the store writes them. A key that it forgot, or whose run was undone, has no record. */
export interface RecordStore {
  look(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Returns at most 100 records of an event id, which may read all rows; absent if the store cannot. */
  find?(eventId: string): Promise<ReadonlyMap<string, StoredRecord>>;
}

/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An input of an event (spec section 2.2, `data.event.inputs[]`). */
export interface EventInput {
  name: string;
  /**
   * Text in the spec and in all known deliveries: decimal digits, hex, an address. For a contract with a decimals
   * conversion it is the converted decimal (`"123.456"`), not an exact amount: take amounts from `rawFields`. The live API
   * allows any JSON. A JSON number that JavaScript cannot represent exactly is returned as its decimal text.
   */
  value: JsonValue;
  /** Whether `value` is the keccak256 hash of the input, as for an indexed string, bytes, array or struct. */
  hashed: boolean;
  /** Solidity type, such as `uint256`. */
  type: string;
}

/** The contract that emitted an event, or that a transaction called. */
export interface ContractInfo {
  /** Checksummed address. */
  address: string;
  /** Alias of the address: `addressLabel` or, on the live service, `addressAlias` on the wire; `''` if both are absent. */
  addressLabel: string;
  /** The live service's name for the same thing. */
  addressAlias?: string | null | undefined;
  name: string;
  label: string;
}

/** The details of an emitted event (spec section 2.2, `data.event`). */
export interface EventDetails {
  name: string;
  /** Canonical signature, such as `Transfer(address,address,uint256)`. */
  signature: string;
  inputs: EventInput[];
  /** The RPC log as JSON text: topics, data, block and transaction. */
  rawFields?: string | undefined;
  contract: ContractInfo;
  /** Position of the log in its block. */
  indexInLog: number;
}

/** An argument of the contract call that a transaction made. */
export interface MethodInput {
  name: string;
  value: JsonValue;
  type: string;
}

/**
 * The transaction that emitted an event. Not in the spec; the live service sends it beside `data.event`. An optional field
 * that cannot be read is `undefined`; if a required one cannot, the whole transaction is.
 */
export interface EventTransaction {
  from?: string | null | undefined;
  txData?: string | null | undefined;
  txHash: string;
  txIndexInBlock?: number | null | undefined;
  blockHash: string;
  blockNumber: number;
  contract?: ContractInfo | null | undefined;
  method?: { name: string; signature: string; inputs: MethodInput[] } | null | undefined;
}

/** A contract emitted an event on chain (spec sections 2.2 and 6). */
export interface EventEmitted {
  /** Identifier of the event object: the default idempotency key. */
  id: string;
  event: 'event.emitted';
  data: {
    /** RFC 3339 time of the block. */
    triggeredAt: string;
    event: EventDetails;
    transaction?: EventTransaction | null | undefined;
  };
}

/**
 * The payload of `transaction.included`. The spec leaves it open, so any object is accepted and nothing inside is
 * checked; the keys here are those that the live service is known to send. Quantities in `tx` are hex text.
 */
export interface TransactionIncludedData {
  /** Only an `event.emitted` has it: narrow the event by its kind first. */
  event?: undefined;
  tx?: {
    hash?: string;
    from?: string;
    to?: string | null;
    nonce?: string;
    value?: string;
    input?: string;
    [key: string]: unknown;
  };
  /** `included`, `pending`, `replaced`, `cancelled`, `rejected` or `exceeded retry limit`. */
  status?: string;
  from?: string;
  /** Whether the transaction was mined and reverted. */
  failed?: boolean;
  blockNumber?: number;
  blockHash?: string;
  resubmissionAttempts?: number;
  successfulResubmissions?: number;
  createdAt?: string;
  updatedAt?: string;
  [key: string]: unknown;
}

/** A cloud-wallet transaction was mined in a block (spec section 6). */
export interface TransactionIncluded {
  id: string;
  event: 'transaction.included';
  data: TransactionIncludedData;
}

/** An event of a known kind. Narrow it by `event`. */
export type WebhookEvent = EventEmitted | TransactionIncluded;

/** The kinds of event that a webhook can subscribe to (spec section 6). */
export type EventKind = WebhookEvent['event'];

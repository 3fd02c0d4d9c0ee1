import * as z from 'zod';
import type { InvalidEventError } from '../errors.js';
import { type Check, checkContract, checkDetails, checkInput, checkTransaction } from './check-event.js';
import { parseAs, parseEvent, parseEventEmitted, parseTransactionIncluded } from './parse-event.js';
import type { ContractInfo, EventDetails, EventInput, EventTransaction } from './types.js';

export type {
  ContractInfo,
  EventDetails,
  EventInput,
  EventTransaction,
  JsonValue,
  MethodInput,
  TransactionIncludedData,
} from './types.js';

// The parsers as zod schemas, for schemas that contain events. Like the parsers, they return a copy with unknown keys.

function schemaOf<Result>(parse: (value: unknown) => Result) {
  return z.unknown().transform((value, context): Result => {
    try {
      return parse(value);
    } catch (error) {
      for (const { path, message } of (error as InvalidEventError).issues)
        context.addIssue({ code: 'custom', path: [...path], message });
      return z.NEVER;
    }
  });
}

const partOf = <Part>(check: Check) => schemaOf((value) => parseAs<Part>(value, check));

/** `data.event.contract`. Fills `addressLabel` from the live service's `addressAlias`. */
export const contractInfoSchema = partOf<ContractInfo>(checkContract);

/** `data.event.inputs[]`. */
export const eventInputSchema = partOf<EventInput>(checkInput);

/** `data.event`. `inputs` and `rawFields` may be null, which Go writes for nil. */
export const eventDetailsSchema = partOf<EventDetails>(checkDetails);

/** `data.transaction`, which the live service sends and the spec lacks. Only its block and hash are required. */
export const eventTransactionSchema = partOf<EventTransaction>(checkTransaction);

/** A whole `event.emitted`, nested no deeper than 256 levels. */
export const eventEmittedSchema = schemaOf(parseEventEmitted);

/** A whole `transaction.included`. Its payload is open in the spec: any object is accepted, with all its keys. */
export const transactionIncludedSchema = schemaOf(parseTransactionIncluded);

/** Either type, discriminated by `event`. */
export const webhookEventSchema = schemaOf(parseEvent);

/** The body of a delivery, parsed: an array of events. Unlike `parseDelivery`, it fails if one item is invalid. */
export const deliverySchema = z.array(webhookEventSchema);

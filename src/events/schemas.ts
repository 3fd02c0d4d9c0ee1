import * as z from 'zod';
import type { InvalidEventError } from '../errors.js';
import { parseEvent, parseEventEmitted, parseTransactionIncluded } from './parse-event.js';

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

/** A whole `event.emitted`, nested no deeper than 256 levels. */
export const eventEmittedSchema = schemaOf(parseEventEmitted);

/** A whole `transaction.included`. Its payload is open in the spec: any object is accepted, with all its keys. */
export const transactionIncludedSchema = schemaOf(parseTransactionIncluded);

/** Either type, discriminated by `event`. */
export const webhookEventSchema = schemaOf(parseEvent);

/** The body of a delivery, parsed: an array of events. Unlike `parseDelivery`, it fails if one item is invalid. */
export const deliverySchema = z.array(webhookEventSchema);

import * as z from 'zod';
import { isInputValue, isPayload, withAddressLabel } from './field-rules.js';
import { isTooDeep, TOO_DEEP } from './nesting.js';
import type { JsonValue, TransactionIncludedData } from './types.js';

// The wire format of spec section 2.2, in zod. At run time, src/events/generated-checks.ts parses events. It is generated
// from these schemas (`npm run generate`), because zod would be nine tenths of the code that a receiver loads.

const position = () => z.number().int().min(0);

/** `data.event.contract`. Fills `addressLabel` from the live service's `addressAlias`. */
export const contractInfoSchema = z.preprocess(
  withAddressLabel,
  z.object({
    address: z.string(),
    addressLabel: z.string(),
    addressAlias: z.string().optional(),
    name: z.string(),
    label: z.string(),
  }),
);

const inputValue = () =>
  z.custom<JsonValue>(isInputValue as (value: unknown) => boolean, 'expected an exact JSON value');

/** `data.event.inputs[]`. */
export const eventInputSchema = z.object({
  name: z.string(),
  value: inputValue(),
  hashed: z.boolean(),
  type: z.string(),
});

/** `data.event`. */
export const eventDetailsSchema = z.object({
  name: z.string(),
  signature: z.string(),
  inputs: z.array(eventInputSchema),
  rawFields: z.string().optional(),
  contract: contractInfoSchema,
  indexInLog: position(),
});

/** `data.transaction`, which the live service sends and the spec does not have. */
export const eventTransactionSchema = z.object({
  from: z.string(),
  txData: z.string(),
  txHash: z.string(),
  txIndexInBlock: position(),
  blockHash: z.string(),
  blockNumber: position(),
  contract: contractInfoSchema.nullish(),
  method: z
    .object({
      name: z.string(),
      signature: z.string(),
      inputs: z.array(z.object({ name: z.string(), value: inputValue(), type: z.string() })),
    })
    .nullish(),
});

/** Precedes the schema of an event: an item that nests too deep is not checked further. */
const shallow = () => z.custom<unknown>((value) => !isTooDeep(value), TOO_DEEP);

const emittedSchema = z.object({
  id: z.string().min(1),
  event: z.literal('event.emitted'),
  data: z.object({
    triggeredAt: z.string(),
    event: eventDetailsSchema,
    transaction: eventTransactionSchema.nullish(),
  }),
});

const includedSchema = z.object({
  id: z.string().min(1),
  event: z.literal('transaction.included'),
  data: z.custom<TransactionIncludedData>(isPayload, 'expected an object'),
});

/** A whole `event.emitted`, nested no deeper than 256 levels. */
export const eventEmittedSchema = shallow().pipe(emittedSchema);

/** A whole `transaction.included`. Its payload is open in the spec: any object is accepted, with all its keys. */
export const transactionIncludedSchema = shallow().pipe(includedSchema);

/** Either kind, told apart by `event`. */
export const webhookEventSchema = shallow().pipe(z.discriminatedUnion('event', [emittedSchema, includedSchema]));

/** The body of a delivery, parsed: an array of events. Unlike `parseDelivery`, it fails if one item is invalid. */
export const deliverySchema = z.array(webhookEventSchema);

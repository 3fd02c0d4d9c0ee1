import * as z from 'zod';
import { isRecord } from '../internal/guards.js';
import { isInputValue, withAddressLabel, withoutNil } from './field-rules.js';
import { isTooDeep, TOO_DEEP } from './nesting.js';
import type { JsonValue, TransactionIncludedData } from './types.js';

export type {
  ContractInfo,
  EventDetails,
  EventInput,
  EventTransaction,
  JsonValue,
  MethodInput,
  TransactionIncludedData,
} from './types.js';

// The wire format of spec section 2.2, in zod. At run time, src/events/generated-checks.ts parses events. It is generated
// from these schemas (`npm run generate`), because zod would be nine tenths of the code that a receiver loads.

const position = () => z.number().int().min(0);

/** An optional field: null and absent are kept; an invalid value becomes undefined. */
const unneeded = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** `data.event.contract`. Fills `addressLabel` from the live service's `addressAlias`. */
export const contractInfoSchema = z.preprocess(
  withAddressLabel,
  z.object({
    address: z.string(),
    addressLabel: z.string(),
    addressAlias: unneeded(z.string()),
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

/** `data.event`. `inputs` and `rawFields` may be null, which Go writes for nil. */
export const eventDetailsSchema = z.preprocess(
  withoutNil,
  z.object({
    name: z.string(),
    signature: z.string(),
    inputs: z.array(eventInputSchema),
    rawFields: z.string().optional(),
    contract: contractInfoSchema,
    indexInLog: position(),
  }),
);

const methodSchema = z.preprocess(
  withoutNil,
  z.object({
    name: z.string(),
    signature: z.string(),
    inputs: z.array(z.object({ name: z.string(), value: inputValue(), type: z.string() })),
  }),
);

/** `data.transaction`, which the live service sends and the spec lacks. Only its block and hash are required. */
export const eventTransactionSchema = z.object({
  from: unneeded(z.string()),
  txData: unneeded(z.string()),
  txHash: z.string(),
  txIndexInBlock: unneeded(position()),
  blockHash: z.string(),
  blockNumber: position(),
  contract: unneeded(contractInfoSchema),
  method: unneeded(methodSchema),
});

/** Runs before an event's schema: an item that nests too deep is not checked further. */
const shallow = () => z.custom<unknown>((value) => !isTooDeep(value), TOO_DEEP);

const emittedSchema = z.object({
  id: z.string().min(1),
  event: z.literal('event.emitted'),
  data: z.object({
    triggeredAt: z.string(),
    event: eventDetailsSchema,
    transaction: unneeded(eventTransactionSchema),
  }),
});

const includedSchema = z.object({
  id: z.string().min(1),
  event: z.literal('transaction.included'),
  data: z.custom<TransactionIncludedData>(isRecord, 'expected an object'),
});

/** A whole `event.emitted`, nested no deeper than 256 levels. */
export const eventEmittedSchema = shallow().pipe(emittedSchema);

/** A whole `transaction.included`. Its payload is open in the spec: any object is accepted, with all its keys. */
export const transactionIncludedSchema = shallow().pipe(includedSchema);

/** Either type, discriminated by `event`. */
export const webhookEventSchema = shallow().pipe(z.discriminatedUnion('event', [emittedSchema, includedSchema]));

/** The body of a delivery, parsed: an array of events. Unlike `parseDelivery`, it fails if one item is invalid. */
export const deliverySchema = z.array(webhookEventSchema);

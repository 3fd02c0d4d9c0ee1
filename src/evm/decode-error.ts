import { WebhookError } from '../errors.js';

/** Codes of {@link DecodeError}. */
export type DecodeErrorCode =
  | 'ERR_WEBHOOK_RAW_FIELDS'
  | 'ERR_WEBHOOK_ABI_MISMATCH'
  | 'ERR_WEBHOOK_DECODE'
  | 'ERR_WEBHOOK_INPUT_VALUE'
  | 'ERR_WEBHOOK_CONTRADICTION'
  | 'ERR_WEBHOOK_TRANSACTION';

/** Ids are short; what is no id need not fill a log. */
const LONGEST_ID = 80;

/**
 * An event cannot be decoded without a doubt. Thrown by a handler or a matcher it is the failure of that event alone,
 * which is then sent again. The message names the event, the place in it and what to do, and quotes no value.
 *
 * - `ERR_WEBHOOK_RAW_FIELDS`: `rawFields` is not the JSON text of a log.
 * - `ERR_WEBHOOK_ABI_MISMATCH`: no event of the ABI fits, or more than one does.
 * - `ERR_WEBHOOK_DECODE`: the log's topics or data do not hold what the ABI says.
 * - `ERR_WEBHOOK_INPUT_VALUE`: without `rawFields`, the value of an input is not exactly one of its type.
 * - `ERR_WEBHOOK_CONTRADICTION`: `rawFields` and the rest of the event disagree.
 * - `ERR_WEBHOOK_TRANSACTION`: a part of a `transaction.included` is malformed.
 */
export class DecodeError extends WebhookError<DecodeErrorCode> {
  /** The `id` of the event. */
  readonly eventId: string;
  /** Where in the event: an input's name or position in the ABI with what is inside it (`orders[2].fee`), or a key. */
  readonly input: string;
  /** What is wrong there, and what to do. */
  readonly reason: string;

  constructor(code: DecodeErrorCode, event: { readonly id: string }, input: string, reason: string) {
    const id = event.id.length > LONGEST_ID ? `${event.id.slice(0, LONGEST_ID)}…` : event.id;
    super(code, `Event ${JSON.stringify(id)}, ${input}: ${reason}`);
    // As text: bundlers shorten the names of classes.
    this.name = 'DecodeError';
    this.eventId = event.id;
    this.input = input;
    this.reason = reason;
  }
}

/** Why one value is refused, and where inside it; becomes a {@link DecodeError} where the event is known. */
export class Problem extends Error {
  /** The way from the value down to what is wrong, such as `[2].fee`. */
  path = '';

  /** What `work` gives; a problem in it is found under `step`. */
  static under<Result>(step: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof Problem) error.path = step + error.path;
      throw error;
    }
  }
}

import { WebhookError } from '../errors.js';

/** Codes of {@link DecodeError}. */
export type DecodeErrorCode =
  | 'ERR_WEBHOOK_RAW_FIELDS'
  | 'ERR_WEBHOOK_ABI_MISMATCH'
  | 'ERR_WEBHOOK_DECODE'
  | 'ERR_WEBHOOK_INPUT_VALUE'
  | 'ERR_WEBHOOK_CONTRADICTION'
  | 'ERR_WEBHOOK_TRANSACTION';

/** Limits the length of a hostile id in logs. */
const LONGEST_ID = 80;

/**
 * An event cannot be decoded reliably. Thrown by a handler or a matcher, it fails only that event, which is then
 * redelivered. The message names the event, the field and what to do, and contains no value of the event but its id.
 *
 * - `ERR_WEBHOOK_RAW_FIELDS`: `rawFields` is not the JSON text of a log.
 * - `ERR_WEBHOOK_ABI_MISMATCH`: no event of the ABI matches, or several do.
 * - `ERR_WEBHOOK_DECODE`: the log's topics or data do not match the ABI.
 * - `ERR_WEBHOOK_INPUT_VALUE`: without `rawFields`, the value of an input is not an exact value of its type.
 * - `ERR_WEBHOOK_CONTRADICTION`: `rawFields` contradicts the rest of the event.
 * - `ERR_WEBHOOK_TRANSACTION`: a field of a `transaction.included` is malformed.
 */
export class DecodeError extends WebhookError<DecodeErrorCode> {
  /** The `id` of the event. */
  readonly eventId: string;
  /** The field: an input by its name or position in the ABI, with a path (`orders[2].fee`), or a key of the event. */
  readonly input: string;
  /** The problem and the fix. */
  readonly reason: string;

  constructor(code: DecodeErrorCode, event: { readonly id: string }, input: string, reason: string) {
    const id = event.id.length > LONGEST_ID ? `${event.id.slice(0, LONGEST_ID)}…` : event.id;
    super(code, `Event ${JSON.stringify(id)}, ${input}: ${reason}`);
    this.name = 'DecodeError';
    this.eventId = event.id;
    this.input = input;
    this.reason = reason;
  }
}

/** Why a value was refused, with its path. Rethrown as a {@link DecodeError} where the event is known. */
export class Problem extends Error {
  /** Path inside the value, such as `[2].fee`. */
  path = '';

  /** @param advice What to do if the value is that of a delivered input. */
  constructor(
    message: string,
    readonly advice = '',
  ) {
    super(message);
  }

  /** Returns what `work` returns; prefixes the path of its problems with `step`. */
  static under<Result>(step: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw Problem.at(step, error);
    }
  }

  /** The error; if it is a problem, its path is prefixed with `step`. */
  static at(step: string, error: unknown): unknown {
    if (error instanceof Problem) error.path = step + error.path;
    return error;
  }
}

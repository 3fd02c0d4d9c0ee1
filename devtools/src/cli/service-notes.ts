import type { Logger } from 'event-webhook-receiver';
import type { Output } from './output.js';

/**
 * Prints the warnings of the service, except those about deliveries, which have their own lines. For a chain that does
 * not answer, it prints the first failure, and that the chain answers again.
 */
export function serviceNotes(output: Pick<Output, 'note'>): Logger {
  let isLost = false;
  function note(fields: object, message: string): void {
    if ('deliveryId' in fields) return;
    const { err, blockNumber, delayMs } = fields as { err?: unknown; blockNumber?: unknown; delayMs?: unknown };
    const isRetry = err instanceof Error && blockNumber !== undefined && delayMs !== undefined;
    if (!isRetry) output.note(message);
    else if (!isLost) output.note(`${err.message} Trying again until it answers.`);
    isLost ||= isRetry;
  }
  return {
    debug: () => {},
    info(fields, message) {
      if (isLost && 'blockNumber' in fields) {
        isLost = false;
        output.note(message);
      }
    },
    warn: note,
    error: note,
  };
}

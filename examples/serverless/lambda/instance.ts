// What the runtime of Lambda does in each instance: loads the function, and calls it for one invocation at a time.
import type { LambdaEvent, LambdaHandler, LambdaResult } from 'event-webhook-receiver/lambda';

/** A message to an instance. */
export interface Invocation {
  readonly event: LambdaEvent;
  /** When the function's timeout is over, in epoch milliseconds. */
  readonly deadline: number;
}

/** The answer of an instance. Without `result`, the function failed. */
export interface Answer {
  readonly result?: LambdaResult;
}

async function main(): Promise<void> {
  const { handler }: { handler: LambdaHandler } = await import(process.env.HANDLER ?? '');
  process.on('message', async ({ event, deadline }: Invocation) => {
    const answer: Answer = await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() }).then(
      (result) => ({ result }),
      (error) => {
        console.error(error);
        return {};
      },
    );
    process.send?.(answer);
  });
  process.send?.('initialized');
}

void main();

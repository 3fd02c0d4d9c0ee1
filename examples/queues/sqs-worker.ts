// The AWS Lambda function of an SQS queue. Its event source mapping needs ReportBatchItemFailures.
import type { WebhookEvent } from 'event-webhook-receiver';
import { type EventWorkerOptions, handleMessage } from 'event-webhook-receiver/queues';

interface SqsEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** SQS delivers the messages that failed again, and moves them to the dead-letter queue after `maxReceiveCount`. */
export const sqsHandler = (worker: EventWorkerOptions) => async (batch: SqsEvent) => {
  const results = await Promise.allSettled(batch.Records.map(({ body }) => handleMessage(body, worker)));
  const failed = batch.Records.filter((_, at) => results[at]?.status === 'rejected');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

export const handler = sqsHandler({ onEvent: (event: WebhookEvent) => console.log('handled', event.id) });

export {
  handleMessage,
  type MessageContext,
  messageId,
  type RetryOptions,
  retryDelayMs,
  toMessage,
} from './message.js';
export type { EventWorkerOptions } from './run-job.js';

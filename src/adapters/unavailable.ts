import type { DeliveryResult } from '../handle/answer.js';

/** Whether the body was read before the receiver could. The error, whose message says what to do, is for the host's error handler. */
export function isUnavailable({ error }: DeliveryResult): boolean {
  return error?.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
}

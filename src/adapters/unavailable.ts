import type { DeliveryResult } from '../handle/answer.js';

/** Whether the body was read before the receiver could read it. The host's error handler should get this error. */
export function isUnavailable({ error }: DeliveryResult): boolean {
  return error?.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
}

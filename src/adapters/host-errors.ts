import { ConfigError } from '../errors.js';
import type { DeliveryResult } from '../handle/answer.js';

/** Whether the body was read before the receiver could read it. The host's error handler should get this error. */
export function isUnavailable({ error }: DeliveryResult): boolean {
  return error?.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
}

/** The error for an argument that is not a request of the adapter's host. */
export function wrongHost(takes: string): ConfigError {
  return new ConfigError(
    `${takes} For another host, use its handler: nodeHandler or expressHandler for a request of Node.js, fastifyPlugin for Fastify, fetchHandler for a Request, lambdaHandler for an event of AWS Lambda.`,
  );
}

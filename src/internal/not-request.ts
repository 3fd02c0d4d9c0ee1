import { ConfigError } from '../errors.js';
import { typeName } from './check-options.js';

/** The error for what a program passes in place of a request of the host, with what to do. */
export function notRequest(takes: string, given: unknown): ConfigError {
  const { on, raw, req, request, requestContext, bodyUsed } = Object(given);
  let got = typeName(given);
  if (bodyUsed !== undefined) got = 'a Request: use fetchHandler';
  else if (on) got = 'a request of Node.js: use nodeHandler or expressHandler';
  else if (requestContext) got = 'an event of AWS Lambda: use lambdaHandler';
  else if (raw) got = 'a request of Fastify: use fastifyPlugin';
  else if (req ?? request) got = 'a context: pass the request that it contains';
  return new ConfigError(`${takes}, got ${got}.`);
}

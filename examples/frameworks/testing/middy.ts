// What the project's own tests need of middy: it around a handler, without and with its body parser.
import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { LambdaHandler } from 'event-webhook-receiver/lambda';

export const wrapped = (handler: LambdaHandler) => middy(handler);
export const parsedFirst = (handler: LambdaHandler) => middy(handler).use(httpJsonBodyParser());

// A body parser of middy (httpJsonBodyParser) replaces the bytes, which the signature is of: leave it out here.
import middy from '@middy/core';
import { lambdaHandler } from 'event-webhook-receiver/lambda';

export const handler = middy(
  lambdaHandler({
    secret: process.env.WEBHOOK_SECRET ?? '',
    onEvent: (event) => console.log(`took effect: ${event.id}`),
  }),
);

import { lambdaHandler } from 'event-webhook-receiver/lambda';
import { receiver } from './receiver.js';

export const handler = lambdaHandler(receiver);

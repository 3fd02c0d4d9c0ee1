import { fetchHandler } from 'event-webhook-receiver/fetch';
import { receiver } from './receiver.js';

export const POST = fetchHandler(receiver);

// The route of the webhook, such as app/webhooks/route.ts of Next.js, or api/webhooks.ts of Vercel.
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { receiver } from './receiver.js';

export const POST = fetchHandler(receiver);

// Calls the bare handler as a host would, with a delivery signed here. Run with:
// WEBHOOK_SECRET=… npx tsx --tsconfig examples/tsconfig.json examples/fetch/bare.ts
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { POST } from './handler.js';

const delivery = createTestDelivery([sampleEventEmitted()], { secret: process.env.WEBHOOK_SECRET ?? '' });
const genuine = await POST(delivery.request());
const forged = await POST(new Request(delivery.request(), { body: delivery.rawBody.replace('Transfer', 'Approval') }));
console.log('genuine', genuine.status, 'forged', forged.status);

// The host reads every body first and passes the bytes on, so the Request is untouched.
import { app } from '@azure/functions';
import { fetchHandler } from 'event-webhook-receiver/fetch';

app.http('webhooks', {
  methods: ['POST'],
  authLevel: 'anonymous', // the signature is the authentication
  handler: fetchHandler({
    secret: process.env.WEBHOOK_SECRET ?? '',
    onEvent: (event) => console.log(`took effect: ${event.id}`),
  }),
});

// A function with the Node signature, `(request, response)`.
import { nodeHandler } from 'event-webhook-receiver/node';

export default nodeHandler({
  secret: process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

// Next parses the body of an API route unless `bodyParser` is false; then the handler reads the stream itself.
import { nodeHandler } from 'event-webhook-receiver/node';

export const config = { api: { bodyParser: false } };

export default nodeHandler({
  secret: () => process.env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

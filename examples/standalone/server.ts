// The verify function alone, in a server of your own. It checks where a delivery comes from and nothing else: parsing,
// the time window, limits and doing each event once are then yours. Run with:
// WEBHOOK_SECRET=… PORT=3000 npx tsx --tsconfig examples/tsconfig.json examples/standalone/server.ts
import { createServer, type IncomingMessage } from 'node:http';
import { verifySignature } from 'event-webhook-receiver/verify';

const secret = process.env.WEBHOOK_SECRET ?? '';
const MAX_BYTES = 1024 * 1024;

/** The status that answers a request. */
async function receive(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BYTES) return 413;
  const signature = String(request.headers['x-service-signature']);
  const timestamp = String(request.headers['x-service-timestamp']);
  const rawBody = Buffer.concat(chunks);
  if (!verifySignature(rawBody, signature, timestamp, secret)) return 403;
  console.log('verified', JSON.parse(rawBody.toString()).length, 'events');
  return 200;
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    // The sender went away half way, or signed what is no JSON. Neither may bring down the process.
    () => response.writeHead(400).end(),
  );
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening on', server.address()));

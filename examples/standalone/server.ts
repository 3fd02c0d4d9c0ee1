// The verify function alone, in a server of your own. It checks where a delivery comes from and nothing else: parsing,
// the time window, limits and doing each event once are then yours. Run with:
// WEBHOOK_SECRET=… PORT=3000 npx tsx examples/standalone/server.ts
import { createServer } from 'node:http';
import { verifySignature } from 'event-webhook-receiver/verify';

const secret = process.env.WEBHOOK_SECRET ?? '';
const MAX_BYTES = 1024 * 1024;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
  }
  const signature = String(request.headers['x-service-signature']);
  const timestamp = String(request.headers['x-service-timestamp']);
  const rawBody = Buffer.concat(chunks);
  if (size > MAX_BYTES || !verifySignature(rawBody, signature, timestamp, secret)) {
    response.writeHead(403).end();
    return;
  }
  console.log('verified', JSON.parse(rawBody.toString()).length, 'events');
  response.writeHead(200).end();
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening on', server.address()));

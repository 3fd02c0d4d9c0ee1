// A webhook handler as many write their first one: it compares with !==, takes everything without a secret, and tells
// events apart by their name and transaction.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret } = process.env;
const seen = new Set();
let effects = 0;

function effect({ id, event }) {
  if (id === 'always-fails') throw new Error('the database is down');
  if (event === 'event.emitted') effects++;
}

const server = createServer(async (request, response) => {
  if (request.url === '/effects') return response.end(String(effects));
  const body = Buffer.concat(await request.toArray());
  const { 'x-service-signature': signature, 'x-service-timestamp': timestamp = '' } = request.headers;
  try {
    if (secret) {
      const expected = createHmac('sha256', secret).update(body).update(timestamp).digest('hex');
      if (signature !== expected) return response.writeHead(403).end();
    }
    for (const event of JSON.parse(body.toString())) {
      const { event: log, transaction } = event.data;
      const key = log ? `${log.name}:${transaction?.txHash}` : event.id;
      if (seen.has(key)) continue;
      effect(event);
      seen.add(key);
    }
    response.end();
  } catch {
    response.writeHead(500).end();
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

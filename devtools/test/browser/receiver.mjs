// A receiver as its users write one, in a process of its own: prints its port, and the amount of every transfer that it
// was sent. The secret is read when it is needed, as it comes to be when the webhook is registered.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { nodeHandler } from 'event-webhook-receiver/node';

const [file] = process.argv.slice(2);
const handler = nodeHandler({
  secret: async () => (await readFile(file, 'utf8')).trim(),
  toleranceSeconds: 300,
  onEvent: (event) => {
    const inputs = event.event === 'event.emitted' ? event.data.event.inputs : [];
    console.log(JSON.stringify({ id: event.id, value: inputs.find(({ name }) => name === 'value')?.value }));
  },
});
const server = createServer(handler).listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: server.address().port }));
});

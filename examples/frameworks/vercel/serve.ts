// What Vercel does around a function, with the runtime that `vercel dev` runs it in: takes in each request, and passes it to
// its function. The command `vercel dev` itself needs an account.
import { createServer, type RequestListener, request } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Runtime {
  startDevServer(options: object): Promise<{ port: number; shutdown(): Promise<void> }>;
}

// It is installed with the other runtimes.
const require = createRequire(new URL('../../../test/runtimes/package.json', import.meta.url));
const { startDevServer }: Runtime = require('@vercel/node');
const workPath = fileURLToPath(new URL('.', import.meta.url));
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'];

const functions = await Promise.all(
  ['api/webhooks.ts', 'api/node/webhooks.ts'].map(async (entrypoint) => {
    const settings = { entrypoint, workPath, config: {}, files: {}, meta: { isDev: true } };
    return { path: `/${entrypoint.replace('.ts', '')}`, ...(await startDevServer(settings)) };
  }),
);

const pass: RequestListener = async (incoming, outgoing) => {
  const { method = '', url = '' } = incoming;
  const port = functions.find(({ path }) => url.startsWith(path))?.port;
  if (port === undefined || !METHODS.includes(method)) {
    outgoing.writeHead(port === undefined ? 404 : 405, { Connection: 'close' }).end();
    return;
  }
  const body = Buffer.concat(await incoming.toArray());
  const { connection: _, expect: __, 'transfer-encoding': ___, ...headers } = incoming.headers;
  const sent = { ...headers, 'x-forwarded-host': headers.host, 'content-length': body.length };
  request({ port, method, path: url, headers: sent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'keep-alive' });
    answer.pipe(outgoing);
  })
    .on('error', () => outgoing.destroy())
    .end(body);
};

const { PORT = '3000' } = process.env;
createServer((incoming, outgoing) => {
  // A sender may leave half way.
  Promise.resolve(pass(incoming, outgoing)).catch(() => outgoing.destroy());
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening on', PORT));

process.once('SIGTERM', async () => {
  await Promise.all(functions.map((each) => each.shutdown()));
  process.exit();
});

// Plays the host of Azure Functions, whose program (Core Tools) comes from no package registry: registers the function with the
// real @azure/functions, and has that make its HttpRequest of each request and an answer of what it returns. Bodies come
// as bytes in a message, or as a stream (HTTP_STREAM=1), as the host sends them.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import Module from 'node:module';

type Data = Record<string, unknown>;
interface Invocation {
  getArguments(): Promise<{ context: object; inputs: unknown[] }>;
  invokeFunction(context: object, inputs: unknown[], callback: unknown): Promise<unknown>;
  getResponse(context: object, result: unknown): Promise<{ returnValue?: { http: Answer } }>;
}
interface Model {
  getInvocationModel(call: object): Invocation;
  getCapabilities(capabilities: Data): Promise<{ HttpUri?: string }>;
}
interface Metadata {
  readonly bindings: Record<string, { readonly type: string }>;
}
interface Answer {
  readonly statusCode: string;
  readonly headers: Record<string, string>;
  readonly body: { readonly bytes?: Uint8Array };
}

let model: Model | undefined;
let registered: { metadata: Metadata; callback: unknown } | undefined;

// The worker of the host gives the package this module.
const core = {
  log() {},
  setProgrammingModel(given: Model) {
    model = given;
  },
  registerFunction(metadata: Metadata, callback: unknown) {
    registered = { metadata, callback };
  },
};
const { prototype } = Module as unknown as { prototype: { require(id: string): unknown } };
const { require: original } = prototype;
prototype.require = function (id) {
  return id === '@azure/functions-core' ? core : original.call(this, id);
};

const { app } = Module.createRequire(import.meta.url)('@azure/functions') as typeof import('@azure/functions');
const isStreaming = process.env.HTTP_STREAM === '1';
app.setup({ enableHttpStream: isStreaming });
await import('./src/functions/webhooks.js');
if (model === undefined || registered === undefined) throw new Error('No function was registered.');
const { metadata, callback } = registered;
const { HttpUri } = await model.getCapabilities({});
const used = model;

const [name] = Object.entries(metadata.bindings).find(([, { type }]) => type === 'httpTrigger') ?? [];

/** Has the function handle a request; resolves to the answer unless that goes through the stream. */
async function invoke(invocationId: string, http: Data, headers: Data): Promise<Answer | undefined> {
  const data = { inputData: [{ name, data: { http } }], triggerMetadata: { Headers: headers } };
  const call = used.getInvocationModel({ invocationId, metadata, request: data, log() {}, state: undefined });
  const { context, inputs } = await call.getArguments();
  const { returnValue } = await call.getResponse(context, await call.invokeFunction(context, inputs, callback));
  return returnValue?.http;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = incoming;
  if (method !== 'POST') {
    outgoing.writeHead(404, { Connection: 'close' }).end();
    return;
  }
  const invocationId = randomUUID();
  const json = { json: JSON.stringify(headers) };
  if (HttpUri !== undefined) {
    const { expect: _, ...passed } = headers;
    const forwarded = { 'x-forwarded-host': headers.host, 'x-forwarded-proto': 'http' };
    const all = { ...passed, ...forwarded, 'x-ms-invocation-id': invocationId };
    const sent = request(new URL(url, HttpUri), { method, headers: all }, (response) => {
      const { 'x-ms-invocation-id': _, ...ours } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, ours);
      response.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.on('error', () => sent.destroy()).pipe(sent);
    await invoke(invocationId, {}, json);
    return;
  }
  const bytes = Buffer.concat(await incoming.toArray());
  const http = { method, url: `http://${headers.host}${url}`, headers, body: { bytes } };
  const { statusCode, headers: ours, body } = (await invoke(invocationId, http, json)) as Answer;
  outgoing.writeHead(Number(statusCode), ours).end(body.bytes);
}

const { PORT = '3000' } = process.env;
createServer((incoming, outgoing) => {
  answer(incoming, outgoing).catch((error) => {
    console.error(error);
    if (!outgoing.headersSent) outgoing.writeHead(500).end();
  });
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening on', PORT));

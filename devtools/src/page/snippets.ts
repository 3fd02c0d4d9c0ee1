/** The first receiver of a project. */
export interface Snippet {
  /** Display name. */
  readonly framework: string;
  /** Where the code goes, in the project. */
  readonly file: string;
  /** Plain JavaScript, which is TypeScript too, with `WEBHOOK_SECRET` from the environment. */
  readonly code: string;
  /** Further packages that the code imports. */
  readonly packages?: readonly string[];
  /** Its URL on this machine. */
  readonly url: string;
  /** The command that starts it; undefined if the project's own script does. */
  readonly start?: string;
  /** The file that contains its variables, instead of the environment. */
  readonly variablesFile?: string;
}

const LIBRARY = 'event-webhook-receiver';
const URL_3000 = 'http://127.0.0.1:3000/webhooks';
/** A program of one file. */
const script = { file: 'webhooks.mjs', start: 'node webhooks.mjs', url: URL_3000 };
const PORT = 'Number(process.env.PORT ?? 3000)';
const onEvent = '  onEvent: (event) => console.log(event.event, event.id),';
const options = `{\n  secret: process.env.WEBHOOK_SECRET ?? '',\n${onEvent}\n}`;
/** Builds load the file without the secrets. */
const lazyOptions = options.replace('secret: process', 'secret: () => process');
const receiveFetch = `const receive = fetchHandler(${options});`;
const importFetch = `import { fetchHandler } from '${LIBRARY}/fetch';`;

const express: Snippet = {
  framework: 'Express',
  ...script,
  code: `import express from 'express';
import { expressHandler } from '${LIBRARY}/express';

const app = express();
// Before express.json(): the signature is over the bytes as they were sent.
app.post('/webhooks', expressHandler(${options}));
app.listen(${PORT});`,
};

const fastify: Snippet = {
  framework: 'Fastify',
  ...script,
  code: `import Fastify from 'fastify';
import { fastifyPlugin } from '${LIBRARY}/fastify';

const app = Fastify();
const webhooks = fastifyPlugin(${options});
app.register(webhooks, { prefix: '/webhooks' });
await app.listen({ port: ${PORT} });`,
};

const hono: Snippet = {
  framework: 'Hono',
  ...script,
  packages: ['@hono/node-server'],
  code: `import { serve } from '@hono/node-server';
${importFetch}
import { Hono } from 'hono';

${receiveFetch}
const app = new Hono();
app.post('/webhooks', (context) => receive(context.req.raw));
serve({ fetch: app.fetch, port: ${PORT} });`,
};

const koa: Snippet = {
  framework: 'Koa',
  ...script,
  packages: ['@koa/router'],
  code: `import Router from '@koa/router';
import { nodeHandler } from '${LIBRARY}/node';
import Koa from 'koa';

const receive = nodeHandler(${options});
const router = new Router();
// Before any body parser. The handler sends the response.
router.post('/webhooks', (ctx) => { ctx.respond = false; return receive(ctx.req, ctx.res); });
new Koa().use(router.routes()).listen(${PORT});`,
};

const h3: Snippet = {
  framework: 'h3',
  ...script,
  code: `${importFetch}
import { H3, serve } from 'h3';

${receiveFetch}
const app = new H3().post('/webhooks', (event) => receive(event.req));
serve(app, { port: ${PORT} });`,
};

const next: Snippet = {
  framework: 'Next.js',
  file: 'app/webhooks/route.js',
  url: URL_3000,
  code: `${importFetch}

export const POST = fetchHandler(${lazyOptions});`,
};

const nest: Snippet = {
  framework: 'NestJS',
  file: 'src/main.ts, before app.listen()',
  url: URL_3000,
  code: `import { expressHandler } from '${LIBRARY}/express';

// Before Nest's own parsers: the handler reads the bytes as they were sent.
app.use('/webhooks', expressHandler(${options}));`,
};

const sveltekit: Snippet = {
  framework: 'SvelteKit',
  file: 'src/routes/webhooks/+server.js',
  url: 'http://127.0.0.1:5173/webhooks',
  code: `import { env } from '$env/dynamic/private';
${importFetch}

const receive = fetchHandler(${lazyOptions.replace('process.env', 'env')});
export const POST = ({ request }) => receive(request);`,
};

const nitro: Snippet = {
  framework: 'Nitro',
  file: 'routes/webhooks.post.js',
  url: URL_3000,
  code: `${importFetch}
import { defineHandler } from 'nitro/h3';

${receiveFetch}
export default defineHandler((event) => receive(event.req));`,
};

const workers: Snippet = {
  framework: 'Cloudflare Workers',
  file: 'src/index.js',
  url: 'http://127.0.0.1:8787/webhooks',
  start: 'npx wrangler dev',
  variablesFile: '.dev.vars',
  code: `${importFetch}

let receive;
export default {
  fetch(request, env, context) {
    receive ??= fetchHandler({
      secret: env.WEBHOOK_SECRET,
    ${onEvent}
    });
    return receive(request, context);
  },
};`,
};

/** For a project without any of the frameworks. */
export const nodeSnippet: Snippet = {
  framework: 'Node.js',
  ...script,
  code: `import { createServer } from 'node:http';
import { nodeHandler } from '${LIBRARY}/node';

const receive = nodeHandler(${options});
createServer(receive).listen(${PORT});`,
};

/** By the dependency that shows that a project uses it. A framework that contains others comes before them. */
export const snippets: Readonly<Record<string, Snippet>> = {
  next,
  '@nestjs/core': nest,
  '@sveltejs/kit': sveltekit,
  nitro,
  wrangler: workers,
  hono,
  fastify,
  koa,
  h3,
  express,
};

// What `init` writes: files of examples/, which tests run. The build copies them into the package.

/** A file that handles events with a client, and what it needs. */
export interface StorePart {
  readonly file: string;
  /** A project that depends on all of these gets it. */
  readonly packages: readonly string[];
  /** Lines of .env.example, and for a template, the service of compose.yaml. */
  readonly env: string;
  readonly service?: string;
}

const POSTGRES = {
  env: 'DATABASE_URL=postgres://postgres:postgres@127.0.0.1:5432/postgres',
  service: 'postgres: { image: "postgres:17", environment: { POSTGRES_PASSWORD: postgres }, ports: ["5432:5432"] }',
};

/** The first that fits is taken. */
export const STORES = {
  drizzle: { file: 'examples/orms/init/drizzle.ts', packages: ['drizzle-orm', 'pg'], ...POSTGRES },
  typeorm: { file: 'examples/orms/init/typeorm.ts', packages: ['typeorm', 'pg'], ...POSTGRES },
  prisma: { file: 'examples/orms/init/prisma.ts', packages: ['@prisma/client', '@prisma/adapter-pg'], ...POSTGRES },
  kysely: { file: 'examples/orms/init/kysely.ts', packages: ['kysely', 'pg'], ...POSTGRES },
  knex: { file: 'examples/orms/init/knex.ts', packages: ['knex', 'pg'], ...POSTGRES },
  pg: { file: 'examples/init/stores/pg.ts', packages: ['pg'], ...POSTGRES },
  mysql2: {
    file: 'examples/orms/init/mysql2.ts',
    packages: ['mysql2'],
    env: 'DATABASE_URL=mysql://root:mysql@127.0.0.1:3306/mysql',
  },
  dynamodb: {
    file: 'examples/serverless/init/dynamodb.ts',
    packages: ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'],
    env: 'DYNAMODB_ENDPOINT=http://127.0.0.1:8000\nAWS_REGION=local\nAWS_ACCESS_KEY_ID=local\nAWS_SECRET_ACCESS_KEY=local',
    service: 'dynamodb: { image: "amazon/dynamodb-local:3.3.0", ports: ["8000:8000"] }',
  },
  ioredis: {
    file: 'examples/init/stores/ioredis.ts',
    packages: ['ioredis'],
    env: 'REDIS_URL=redis://127.0.0.1:6379',
  },
  memory: { file: 'examples/init/stores/memory.ts', packages: [], env: '' },
} as const satisfies Record<string, StorePart>;

export type StoreName = keyof typeof STORES;

/** A file that mounts the receiver in a host. */
export interface HostPart {
  readonly file: string;
  readonly packages: readonly string[];
  /** What the user adds to the app; undefined if the file is a route by its place. */
  readonly line?: string;
}

/** The first that fits is taken. */
export const HOSTS = {
  next: { file: 'examples/init/hosts/next.ts', packages: ['next'] },
  nest: {
    file: 'examples/init/hosts/express.ts',
    packages: ['@nestjs/platform-express'],
    line: "app.use('/webhooks', webhooks); // in main.ts, before app.listen()",
  },
  fastify: {
    file: 'examples/init/hosts/fastify.ts',
    packages: ['fastify'],
    line: "app.register(webhooks, { prefix: '/webhooks' });",
  },
  hono: {
    file: 'examples/init/hosts/hono.ts',
    packages: ['hono'],
    line: "app.all('/webhooks', (c) => webhooks(c.req.raw));",
  },
  express: {
    file: 'examples/init/hosts/express.ts',
    packages: ['express'],
    line: "app.post('/webhooks', webhooks); // before app.use(express.json())",
  },
  lambda: { file: 'examples/init/hosts/lambda.ts', packages: ['@types/aws-lambda'] },
  node: {
    file: 'examples/init/hosts/node.ts',
    packages: [],
    line: "createServer(webhooks).listen(3000); // import { createServer } from 'node:http'",
  },
} as const satisfies Record<string, HostPart>;

export type HostName = keyof typeof HOSTS;

/** The test that is written beside the receiver. */
export const TEST = 'examples/init/stores/receiver.test.ts';

/** A project for an empty folder: its own files, with those of a host and its store, or files of an example by their new names. */
export interface Template {
  readonly store?: StoreName;
  readonly host?: HostName;
  readonly files?: Readonly<Record<string, string>>;
  /** The commands after `npm install`. */
  readonly next: readonly string[];
}

/** Where the own files of the templates are, each in a folder of its name. */
export const TEMPLATES_FOLDER = 'examples/init/templates';

const START = ['docker compose up -d', 'npm test', 'npm run dev'];

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'express-postgres': { store: 'pg', host: 'express', next: START },
  'next-drizzle': {
    store: 'drizzle',
    host: 'next',
    next: ['docker compose up -d', 'npm test', 'npm run migrate', 'npm run dev'],
  },
  'worker-d1': {
    files: { 'src/worker.ts': 'examples/frameworks/worker/worker.ts' },
    next: ['npm test', 'npm run migrate', 'npm run dev'],
  },
  'lambda-dynamodb': {
    store: 'dynamodb',
    host: 'lambda',
    next: ['docker compose up -d', 'npm test', 'npm run build'],
  },
  'nest-typeorm': {
    store: 'typeorm',
    files: {
      'src/main.ts': 'examples/frameworks/nest/main.ts',
      'src/app.module.ts': 'examples/frameworks/nest/app.module.ts',
      'src/webhooks.module.ts': 'examples/frameworks/nest/webhooks.module.ts',
      'src/webhooks.test.ts': 'examples/frameworks/nest/webhooks.test.ts',
    },
    next: START,
  },
};

/** Every file and folder that the build copies. */
export const COPIED: readonly string[] = [
  TEMPLATES_FOLDER,
  TEST,
  ...Object.values(STORES).map(({ file }) => file),
  ...new Set(Object.values(HOSTS).map(({ file }) => file)),
  ...Object.values(TEMPLATES).flatMap(({ files = {} }) => Object.values(files)),
];

// Compiled by peers.test.ts, with the declarations that are installed here.
import { Queue } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { PgBoss } from 'pg-boss';
import { createReceiver } from '../../src/index.js';
import { bullmqEnqueue } from '../../src/queues/bullmq/index.js';
import { pgBossDeadLetters, pgBossEnqueue, pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { redisStore } from '../../src/stores/redis/index.js';

const secret = 'whsec-test';
const boss = new PgBoss('postgres://localhost/app');
createReceiver({ secret, enqueue: pgBossEnqueue({ boss, queue: 'q' }) });
await pgBossDeadLetters({ boss, queue: 'q' }).list();
const worker = pgBossWorker({ boss, onEvent: () => {} });
await boss.work('q', worker);
await boss.work('q', { batchSize: 10 }, worker);
await boss.work('q', { includeMetadata: true }, worker);
// @ts-expect-error it would have to return a result for each job
await boss.work('q', { perJobResults: true }, worker);

createReceiver({ secret, onEvent: () => {}, store: redisStore({ client: new Redis() }) });
createReceiver({ secret, onEvent: () => {}, store: redisStore({ client: new Cluster([]) }) });
createReceiver({ secret, enqueue: bullmqEnqueue({ queue: new Queue('q', { connection: new Redis() }) }) });

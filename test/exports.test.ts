import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// Reviewed by hand: a name that comes or goes here is a change of the public API, and belongs into CHANGELOG.md.
const reviewed: Record<string, readonly string[]> = {
  '.': [
    'ConfigError',
    'InvalidBodyError',
    'InvalidEventError',
    'NonRetryableError',
    'RawBodyUnavailableError',
    'WebhookError',
    'createReceiver',
    'createRouter',
    'createVerifier',
    'isWebhookError',
    'memoryStore',
    'multibaasHeaders',
    'parseDelivery',
    'parseEvent',
    'parseEventEmitted',
    'parseTransactionIncluded',
    'serviceHeaders',
    'signDelivery',
    'verifySignature',
  ],
  './verify': ['multibaasHeaders', 'serviceHeaders', 'signDelivery', 'verifySignature'],
  './schemas': ['deliverySchema', 'eventEmittedSchema', 'transactionIncludedSchema', 'webhookEventSchema'],
  './express': ['expressHandler', 'expressVerifier'],
  './fastify': ['fastifyPlugin', 'fastifyVerifier'],
  './fetch': ['fetchHandler', 'fetchVerifier'],
  './lambda': ['lambdaHandler', 'lambdaVerifier'],
  './node': ['nodeHandler', 'nodeVerifier'],
  './stores/leased': ['leasedStore'],
  './stores/dynamodb': ['dynamodbStore', 'dynamodbTable'],
  './stores/redis': ['redisStore'],
  './stores/sql': [
    'fromBetterSqlite3',
    'fromBunSqlite',
    'fromD1',
    'fromDrizzle',
    'fromKnex',
    'fromKysely',
    'fromLibsql',
    'fromMysql2',
    'fromNodeSqlite',
    'fromPGlite',
    'fromPg',
    'fromPostgresJs',
    'fromPrisma',
    'fromTransaction',
    'fromTypeOrm',
    'sqlDdl',
    'sqlStore',
  ],
  './queues': ['handleMessage', 'messageId', 'retryDelayMs', 'toMessage'],
  './queues/bullmq': ['bullmqDeadLetters', 'bullmqEnqueue', 'bullmqWorker', 'bullmqWorkerOptions'],
  './queues/pg-boss': ['pgBossDeadLetters', 'pgBossEnqueue', 'pgBossWorker'],
  './evm': ['DecodeError', 'contractEvent', 'decodeEvent', 'decodeTransaction', 'isRemoved', 'logIdentity', 'rawLog'],
  './otel': ['instrumentWebhooks'],
  './chain': [
    ...['RpcError', 'chainFinality', 'chainReorgs', 'chainSource', 'reconcile', 'serviceSource'],
    'watchChain',
  ],
  './chain/file-cursor': ['fileCursor'],
  './client': ['WebhookApiError', 'createWebhookClient'],
  './testing': ['createTestDelivery', 'sampleContractEvent', 'sampleEventEmitted', 'sampleTransactionIncluded'],
};

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, unknown>;
};

describe('the public API', () => {
  it('is that of the subpaths that the package exports', () => {
    const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
    expect(subpaths.sort()).toEqual(Object.keys(reviewed).sort());
  });

  it.each(Object.entries(reviewed))('of %s holds the reviewed names and no other', async (subpath, names) => {
    const specifier = subpath.replace('.', 'event-webhook-receiver');
    const entry = (await import(/* @vite-ignore */ specifier)) as object;
    expect(Object.keys(entry).sort()).toEqual(names);
  });
});

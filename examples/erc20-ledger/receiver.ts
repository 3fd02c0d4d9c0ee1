// Acknowledges a delivery once pg-boss has stored its events; worker.ts counts them when their blocks are final.
import { createReceiver } from 'event-webhook-receiver';
import { pgBossEnqueue } from 'event-webhook-receiver/queues/pg-boss';
import { openBoss, queue } from '../pg-boss/boss.js';
import { serve } from '../serve.js';
import { handlerTimeoutMs, idempotencyKey } from './ledger.js';

const boss = await openBoss();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  idempotencyKey,
  enqueue: pgBossEnqueue({ boss, queue, handlerTimeoutMs }),
  onError: (error) => console.error(error.code, error.message, error.cause instanceof Error ? error.cause.message : ''),
});

serve(receiver, () => boss.stop());

// Acknowledges a delivery once pg-boss has stored its events in Postgres; worker.ts handles them.
import { createReceiver } from 'event-webhook-receiver';
import { pgBossEnqueue } from 'event-webhook-receiver/queues/pg-boss';
import { serve } from '../serve.js';
import { openBoss, queue } from './boss.js';

const boss = await openBoss();

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  enqueue: pgBossEnqueue({ boss, queue }),
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => boss.stop());

// A queue on NATS JetStream: a receiver gets `enqueue`, a worker's process calls `work`.
import { setTimeout } from 'node:timers/promises';
import { type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import type { Enqueue } from 'event-webhook-receiver';
import * as queues from 'event-webhook-receiver/queues';

/** `replicas`: copies of each message, 3 in production. `ackWaitMs`: more than twice `handlerTimeoutMs`. */
type NatsOptions = queues.RetryOptions & { replicas?: number; ackWaitMs?: number };

export async function openNats(servers: string, name: string, options: NatsOptions = {}) {
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 500 });
  const manager = await jetstreamManager(connection);
  const kept = { retention: 'workqueue', discard: 'new', num_replicas: options.replicas ?? 1 } as const;
  for (const stream of [name, `${name}-dead`]) await manager.streams.add({ name: stream, subjects: [stream], ...kept });
  // Messages that wait for a retry count as pending: they must not hold up the others.
  const limits = { max_ack_pending: 100_000, ack_wait: nanos(options.ackWaitMs ?? 90_000) };
  await manager.consumers.add(name, { durable_name: 'worker', ack_policy: 'explicit', ...limits });
  const js = jetstream(connection, { timeout: 10_000 });

  // Resolves once the server has stored each message.
  const enqueue: Enqueue = (entries, context) =>
    Promise.all(
      entries.map((entry) => {
        return js.publish(name, queues.toMessage(entry, context), { msgID: queues.messageId(entry), timeout: 10_000 });
      }),
    );

  async function settle<Tx>(message: JsMsg, worker: queues.EventWorkerOptions<Tx>) {
    try {
      await queues.handleMessage(message.data, worker);
    } catch (error) {
      const delayMs = queues.retryDelayMs(error, message.info.deliveryCount, options);
      if (delayMs !== undefined) return message.nak(delayMs);
      await js.publish(`${name}-dead`, JSON.stringify({ reason: String(error), message: message.string() }));
    }
    message.ack();
  }

  async function work<Tx>(worker: queues.EventWorkerOptions<Tx>, concurrency = 10) {
    const consumer = await js.consumers.get(name, 'worker');
    let isOver = false;
    const runs = Array.from({ length: concurrency }, async () => {
      while (!isOver) {
        const message = await consumer.next({ expires: 2000 }).catch(() => setTimeout(500, null));
        if (message) await settle(message, worker).catch(console.error);
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(runs);
    };
  }
  return { enqueue, work, connection, js, manager };
}

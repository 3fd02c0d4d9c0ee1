// A queue on RabbitMQ: a receiver gets `enqueue`, a worker's process calls `work`.
import type { Enqueue } from 'event-webhook-receiver';
import * as queues from 'event-webhook-receiver/queues';
import { type AsyncMessage, Connection } from 'rabbitmq-client';

const QUORUM = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', 'x-dead-letter-strategy': 'at-least-once' };
const to = (queue: string) => ({ ...QUORUM, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue });

export async function openRabbitmq(url: string, name: string, options: queues.RetryOptions = {}) {
  const rabbit = new Connection({ url, acquireTimeout: 5000, retryLow: 500, retryHigh: 5000 });
  rabbit.on('error', console.error);
  const queueOf = (queue: string, args: object) => ({ queue, durable: true, arguments: args });
  const dead = queueOf(`${name}-dead`, { ...QUORUM, 'x-dead-letter-strategy': 'at-most-once' });
  // A message whose worker died 100 times is a dead letter, too.
  const live = queueOf(name, { ...to(dead.queue), 'x-delivery-limit': 100 });
  for (const queue of [dead, live]) await rabbit.queueDeclare(queue);
  const publisher = rabbit.createPublisher({ confirm: true });

  // Resolves once the server has stored the message.
  const send = (routingKey: string, body: unknown, headers = {}) =>
    publisher.send({ routingKey, durable: true, headers }, body);

  const enqueue: Enqueue = (entries, context) =>
    Promise.all(entries.map((entry) => send(name, queues.toMessage(entry, context))));

  async function settle<Tx>({ body, headers }: AsyncMessage, worker: queues.EventWorkerOptions<Tx>) {
    const attempt = Number(headers?.attempt ?? 1);
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    await queues.handleMessage(text, worker).catch(async (error) => {
      const delayMs = queues.retryDelayMs(error, attempt, options);
      const queue = `${name}-${delayMs ?? 'dead'}`; // a queue for each delay, which returns messages after it
      if (delayMs !== undefined) await rabbit.queueDeclare(queueOf(queue, { ...to(name), 'x-message-ttl': delayMs }));
      await send(queue, body, { attempt: attempt + 1, reason: error.message });
    });
  }

  /** Acknowledges a message once `settle` resolves; connects again after a crash of the server. */
  async function work<Tx>(worker: queues.EventWorkerOptions<Tx>, concurrency = 10) {
    const limits = { concurrency, qos: { prefetchCount: concurrency }, requeue: true };
    const consumer = rabbit.createConsumer({ queue: name, queueOptions: live, ...limits }, async (message) => {
      await settle(message, worker);
    });
    consumer.on('error', console.error);
    return () => consumer.close();
  }
  async function close() {
    await publisher.close();
    await rabbit.close();
  }
  return { enqueue, work, close, send, rabbit };
}

// A queue on RabbitMQ: a receiver gets `enqueue`, a worker's process calls `work`.
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type ConfirmChannel, type ConsumeMessage, connect } from 'amqplib';
import type { Enqueue } from 'event-webhook-receiver';
import * as queues from 'event-webhook-receiver/queues';

const QUORUM = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', 'x-dead-letter-strategy': 'at-least-once' };
const to = (queue: string) => ({ ...QUORUM, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue });

export function openRabbitmq(url: string, name: string, options: queues.RetryOptions = {}) {
  let opening: Promise<ConfirmChannel> | undefined;
  const forget = () => {
    opening = undefined;
  };
  const opened = () => {
    opening ??= open();
    opening.catch(forget);
    return opening;
  };
  async function open() {
    const connection = (await connect(url, { timeout: 5000 })).on('error', console.error).on('close', forget);
    const channel = (await connection.createConfirmChannel()).on('error', console.error);
    channel.on('close', () => connection.close().catch(() => {}));
    await channel.assertQueue(`${name}-dead`, { arguments: { ...QUORUM, 'x-dead-letter-strategy': 'at-most-once' } });
    // A message whose worker died 100 times is a dead letter, too.
    await channel.assertQueue(name, { arguments: { ...to(`${name}-dead`), 'x-delivery-limit': 100 } });
    return channel;
  }

  // Resolves once the server has stored each message.
  const enqueue: Enqueue = async (entries, context) => {
    const channel = await opened();
    for (const entry of entries) send(channel, name, Buffer.from(queues.toMessage(entry, context)));
    await channel.waitForConfirms();
  };
  const send = (channel: ConfirmChannel, queue: string, content: Buffer, headers = {}) =>
    channel.sendToQueue(queue, content, { persistent: true, headers });

  async function settle<Tx>(channel: ConfirmChannel, message: ConsumeMessage, worker: queues.EventWorkerOptions<Tx>) {
    const attempt = Number(message.properties.headers?.attempt ?? 1);
    await queues.handleMessage(message.content, worker).catch(async (error) => {
      const delayMs = queues.retryDelayMs(error, attempt, options);
      const queue = `${name}-${delayMs ?? 'dead'}`; // a queue for each delay, which returns messages after it
      const wait = { arguments: { ...to(name), 'x-message-ttl': delayMs } };
      if (delayMs !== undefined) await channel.assertQueue(queue, wait);
      send(channel, queue, message.content, { attempt: attempt + 1, reason: error.message });
      await channel.waitForConfirms();
    });
    channel.ack(message);
  }

  async function work<Tx>(worker: queues.EventWorkerOptions<Tx>, concurrency = 10) {
    const running = new Map<ConsumeMessage, Promise<void>>();
    const consume = async () => {
      const channel = await opened();
      await channel.prefetch(concurrency);
      await channel.consume(name, (message) => {
        if (!message || isOver) return; // returns to the queue when the channel is closed
        const run = settle(channel, message, worker).catch(() => channel.nack(message));
        running.set(
          message,
          run.catch(console.error).then(() => void running.delete(message)),
        );
      });
      await once(channel, 'close');
    };
    let isOver = false;
    const consuming = async () => {
      while (!isOver) await consume().catch(() => setTimeout(500));
    };
    void consuming();
    return async () => {
      isOver = true;
      await Promise.all(running.values());
      await (await opened()).close();
    };
  }
  return { enqueue, work, opened };
}

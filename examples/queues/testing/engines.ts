// The programs of this folder as queueContract takes them: with the messages of strangers, and a look at the dead letters.
import { setTimeout } from 'node:timers/promises';
import type { ContractSettings, OpenQueue } from 'event-webhooks/queue-contract';
import { openNats } from '../nats.js';
import { openRabbitmq } from '../rabbitmq.js';

export { openQstash } from '../qstash.js';

export type OpenAt = (url: string, ...opened: Parameters<OpenQueue>) => ReturnType<OpenQueue>;

export const openNatsQueue: OpenAt = async (url, name, settings: ContractSettings) => {
  const { connection, js, manager, ...queue } = await openNats(url, name, { ...settings, ackWaitMs: 2000 });
  return {
    ...queue,
    add: (text) => js.publish(name, text),
    async deadLetters() {
      const dead = `${name}-dead`;
      const { state } = await manager.streams.info(dead);
      const found: { text: string; reason: string }[] = [];
      if (state.messages === 0) return found;
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const { reason, message: text } =
          (await manager.streams.getMessage(dead, { seq }))?.json<Record<string, string>>() ?? {};
        found.push({ text: text ?? '', reason: reason ?? '' });
      }
      return found;
    },
    close: () => connection.close(),
  };
};

/** Limits the bytes of the stream, so that some of a thousand events have no room. */
export async function fillNats(url: string, name: string) {
  const { manager, connection } = await openNats(url, name);
  const limit = (max_bytes: number) => manager.streams.update(name, { max_bytes });
  await limit(300_000);
  return async () => {
    await limit(-1);
    await connection.close();
  };
}

export const openRabbitmqQueue: OpenAt = async (url, name, settings) => {
  const { rabbit, send, ...queue } = await openRabbitmq(url, name, settings);
  // RabbitMQ 3.10 keeps the name of a new quorum queue in memory at first, and loses the queue if it crashes meanwhile.
  await setTimeout(1500);
  return {
    ...queue,
    add: (text) => send(name, text),
    async deadLetters() {
      const channel = await rabbit.acquire();
      const found: { text: string; reason: string }[] = [];
      for (let got = await channel.basicGet(`${name}-dead`); got; got = await channel.basicGet(`${name}-dead`)) {
        found.push({ text: String(got.body), reason: String(got.headers?.reason) });
      }
      await channel.close(); // which returns them to the queue
      return found;
    },
  };
};

// Delivers to a receiver that is killed again and again, and counts the rows that its handlers wrote.
import type { ChildProcess } from 'node:child_process';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { Client } from 'pg';

/** What examples/run.ts has made ready. */
export interface Run {
  /** Of the receiver. */
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  readonly secret: string;
  /** Starts a program; resolves when it listens. */
  readonly start: (program: string) => Promise<ChildProcess>;
}

const DELIVERIES = 40;
const AT_ONCE = 6;
const KILLS = 2;

/** @returns Whether every event took effect exactly once. */
export async function drive({ env, url, secret, start }: Run): Promise<boolean> {
  let receiver = await start('receiver');
  const deliveries = Array.from({ length: DELIVERIES }, (_, index) =>
    Array.from({ length: 1 + (index % 3) }, () => sampleEventEmitted()),
  );
  let sent = 0;
  let acknowledged = 0;

  /** Redelivers until the answer is 200, as the service does, and once more then. */
  async function deliver(events: readonly object[]): Promise<void> {
    const delivery = createTestDelivery([...events], { secret });
    for (let successes = 0; successes < 2; ) {
      sent++;
      const status = await delivery.send(url).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) successes++;
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
    acknowledged++;
  }

  async function kill(times: number): Promise<void> {
    for (let kills = 1; kills <= times; kills++) {
      while (acknowledged < (kills * DELIVERIES) / (times + 1)) await new Promise((resolve) => setTimeout(resolve, 1));
      receiver.kill('SIGKILL');
      console.log(`sender   | killed the receiver after ${acknowledged} of ${DELIVERIES} deliveries`);
      receiver = await start('receiver');
    }
  }

  const waiting = [...deliveries];
  const sender = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deliver(next);
  };
  await Promise.all([kill(KILLS), ...Array.from({ length: AT_ONCE }, sender)]);

  const ids = deliveries.flat().map(({ id }) => id);
  const database = new Client({ connectionString: env.DATABASE_URL });
  await database.connect();
  const { rows } = await database.query(
    'SELECT event_id, count(*)::int AS effects FROM transfers WHERE event_id = ANY($1) GROUP BY event_id',
    [ids],
  );
  await database.end();
  const twice = rows.filter(({ effects }) => effects > 1).length;
  const missing = ids.length - rows.length;
  console.log(
    `${ids.length} events in ${DELIVERIES} deliveries, sent ${sent} times over ${KILLS} kills: ${missing} missing, ${twice} twice`,
  );
  return missing === 0 && twice === 0;
}

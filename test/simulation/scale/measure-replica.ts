import { startReplica } from './replica-process.js';

const ROUNDS = 3000;

/** The CPU of a replica with the store in memory: for each delivery, and for each event in it, in ms. */
export async function measureReplica(): Promise<{ perDeliveryMs: number; perEventMs: number }> {
  const replica = await startReplica();
  const cpuMs = async (events: number): Promise<number> => {
    const rounds = Math.ceil(ROUNDS / Math.sqrt(events));
    for (let round = 0; round < 500; round++) await replica.send(events);
    const before = await replica.cpuMs();
    for (let round = 0; round < rounds; round++) await replica.send(events);
    return ((await replica.cpuMs()) - before) / rounds;
  };
  try {
    const [one, hundred] = [await cpuMs(1), await cpuMs(100)];
    const perEventMs = (hundred - one) / 99;
    return { perDeliveryMs: Number((one - perEventMs).toPrecision(3)), perEventMs: Number(perEventMs.toPrecision(3)) };
  } finally {
    replica.stop();
  }
}

// A queue on pg-boss 10 for a serverless host: one route receives, and a scheduler calls another, which handles what waits.
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { type EventWorkerOptions, pgBossEnqueue, pgBossWorker } from 'event-webhook-receiver/queues/pg-boss';
import PgBoss from 'pg-boss';

/** Without timers, which a frozen instance would miss. `expireInSeconds`: more than twice `handlerTimeoutMs`. */
export async function openQueue(connectionString: string, queue: string, expireInSeconds = 90) {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false, deleteAfterDays: 8, max: 4 });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(`${queue}-dead`);
  await boss.createQueue(queue, { name: queue, deadLetter: `${queue}-dead`, expireInSeconds });

  /** Handles jobs until none waits, or until `end`, in epoch ms. Returns how many. */
  async function drain<Tx>(worker: EventWorkerOptions<Tx>, end: number): Promise<number> {
    const handle = pgBossWorker({ boss, ...worker });
    await boss.maintain(); // the jobs of a call that was cut off expire, and run again
    for (let handled = 0; ; ) {
      const jobs = Date.now() < end ? await boss.fetch<object>(queue, { batchSize: 10 }) : [];
      if (jobs.length === 0) return handled;
      const settle = async (job: PgBoss.Job) => {
        const error = await handle([job]).catch((reason: Error) => reason);
        if (error) await boss.fail(queue, job.id, { message: error.message });
        else await boss.complete(queue, job.id);
      };
      await Promise.all(jobs.map(settle));
      handled += jobs.length;
    }
  }
  return { boss, drain };
}

const queue = 'webhook-events';
let opening: ReturnType<typeof openQueue> | undefined;
/** Opened by the first request, as a build has no database. */
function opened() {
  opening ??= openQueue(process.env.DATABASE_URL ?? '', queue);
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

/** The route of the webhook. */
export async function POST(request: Request): Promise<Response> {
  const { boss } = await opened();
  const secret = process.env.WEBHOOK_SECRET ?? '';
  return fetchHandler({ secret, enqueue: pgBossEnqueue({ boss, queue }) })(request);
}

/** The cron job. Each instance handles the jobs that no other has; `worker` has your handler, and a store. */
export const cron = (worker: EventWorkerOptions) => async (): Promise<Response> => {
  const { drain } = await opened();
  return Response.json({ handled: await drain(worker, Date.now() + 20_000) }); // the time limit of the host, less one job
};

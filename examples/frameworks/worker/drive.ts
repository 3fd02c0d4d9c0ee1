// Delivers to the Worker while its workerd is killed and frozen again and again, and compares the effects in D1.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { withDatabase } from './d1.js';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const DELIVERIES = 60;
const AT_ONCE = 6;
const STRIKES = 6;
const LEASE_MS = 1500;
const ANSWER_MS = 2000;

interface Settings {
  readonly port: number;
  readonly secret: string;
  /** Where D1 keeps its data. */
  readonly folder: string;
  readonly cleanUp: (() => unknown)[];
}

/** @returns Whether every event took effect exactly once. */
export async function driveWorker({ port, secret, folder, cleanUp }: Settings): Promise<boolean> {
  let runs = 0;
  let host: ChildProcess | undefined;
  /** Signals the host and its workerd, which are one process group. */
  const signal = (name: NodeJS.Signals) => process.kill(-(host?.pid as number), name);

  async function start(): Promise<void> {
    const child = spawn(process.execPath, ['--import', 'tsx', 'serve.ts'], {
      cwd: path('.'),
      env: {
        ...process.env,
        PORT: String(port),
        WEBHOOK_SECRET: secret,
        D1_FOLDER: folder,
        LEASE_MS: String(LEASE_MS),
        TSX_TSCONFIG_PATH: path('../tsconfig.json'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    host = child;
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('serve.ts ended.')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.startsWith('took effect')) runs++;
        if (line.startsWith('listening')) resolve();
      });
    });
  }

  async function kill(): Promise<void> {
    if (host === undefined) return;
    const ended = once(host, 'exit');
    signal('SIGKILL');
    host = undefined;
    await ended;
  }

  let sent = 0;
  let acknowledged = 0;

  /** Redelivers until the answer is 200, as the service does, and once more then. */
  async function deliver(events: readonly object[]): Promise<void> {
    const { rawBody: body, headers } = createTestDelivery([...events], { secret });
    for (let successes = 0; successes < 2; ) {
      sent++;
      const request = { method: 'POST', body, headers, signal: AbortSignal.timeout(ANSWER_MS) };
      const status = await fetch(`http://127.0.0.1:${port}/webhooks`, request).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) successes++;
      else await sleep(50);
    }
    acknowledged++;
  }

  async function strike(): Promise<void> {
    for (let strikes = 0; strikes < STRIKES; strikes++) {
      while (acknowledged < ((strikes + 1) * DELIVERIES) / (STRIKES + 1)) await sleep(1);
      if (strikes % 2 === 0) {
        await kill();
        console.log(`sender   | killed workerd after ${acknowledged} of ${DELIVERIES} deliveries`);
        await start();
      } else {
        signal('SIGSTOP');
        console.log(
          `sender   | froze workerd after ${acknowledged} of ${DELIVERIES} deliveries, for longer than a lease`,
        );
        await sleep(LEASE_MS + 500);
        signal('SIGCONT');
      }
    }
  }

  await start();
  cleanUp.unshift(kill);
  // Signals of the terminal do not reach another process group.
  process.once('SIGINT', () => kill().then(() => process.exit(130)));
  const deliveries = Array.from({ length: DELIVERIES }, (_, index) =>
    Array.from({ length: 1 + (index % 3) }, () => sampleEventEmitted()),
  );
  const waiting = [...deliveries];
  const sender = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deliver(next);
  };
  await Promise.all([strike(), ...Array.from({ length: AT_ONCE }, sender)]);
  await kill();

  const { results } = await withDatabase(folder, (database) => database.prepare('SELECT event_id FROM effects').all());
  const effects = new Map<string, number>();
  for (const { event_id: id } of results as { event_id: string }[]) effects.set(id, (effects.get(id) ?? 0) + 1);
  const ids = deliveries.flat().map(({ id }) => id);
  const missing = ids.filter((id) => !effects.has(id)).length;
  const twice = ids.filter((id) => (effects.get(id) ?? 0) > 1).length;
  console.log(
    `${ids.length} events in ${DELIVERIES} deliveries, sent ${sent} times over ${STRIKES} kills and freezes, handled ${runs} times: ${missing} missing, ${twice} twice`,
  );
  return missing === 0 && twice === 0;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { History, HistorySettings } from './history.js';
import type { FromNode, ToNode, Trouble } from './messages.js';

/** A chain that goes through its history, and the process of its node. */
export interface Chain {
  /** A load balancer, another one, and one that also has a node that lies. */
  readonly urls: readonly string[];
  readonly history: History;
  /** When the node came to each step, on the monotonic clock: before anybody could see it. */
  readonly steppedAt: readonly number[];
  /** Goes to the next step. Resolves once the node has. */
  advance(): Promise<void>;
  trouble(kind: Trouble, ms: number): void;
  stop(): Promise<void>;
}

export async function startChain(program: string, settings: HistorySettings, history: History): Promise<Chain> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const steppedAt: number[] = [];
  let stepped: (() => void) | undefined;
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The node did not start.')));
    child.on('message', (message: FromNode) => {
      if ('port' in message) return resolve(message.port);
      steppedAt[message.stepped] = message.at;
      stepped?.();
    });
  });
  const send = (message: ToNode) => void child.send(message);

  async function goTo(step: number): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      stepped = resolve;
    });
    send({ step });
    await arrived;
  }
  await goTo(0);

  return {
    urls: [0, 1, 2].map((index) => `http://127.0.0.1:${port}/${index}`),
    history,
    steppedAt,
    advance: () => goTo(steppedAt.length),
    trouble: (kind, ms) => send({ trouble: kind, ms }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

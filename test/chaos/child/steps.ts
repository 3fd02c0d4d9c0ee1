import type { Step } from '../plan.js';

/** What a process of the chaos test is told when it starts. */
export interface ChildSettings {
  readonly store: 'postgres' | 'transactional' | 'redis' | 'sqlite';
  readonly engine?: 'bullmq' | 'bullmq-postgres' | 'pg-boss' | undefined;
  /** Names what belongs to this run alone: tables, key prefix, queue. */
  readonly run: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly sqliteFile: string;
  readonly leaseMs: number;
  readonly handlerTimeoutMs: number;
  readonly secret: string;
}

export const settings: ChildSettings = JSON.parse(process.argv[2] ?? '');

let fatal: Step | undefined;
process.on('message', (step: Step) => {
  fatal = step;
});
// Whoever started it is gone: a process of a test must not outlive it.
process.on('disconnect', () => process.exit(1));

/** Dies here, as the kernel kills, if that was planned. */
export function pass(step: Step): void {
  if (fatal === step) process.kill(process.pid, 'SIGKILL');
}

/** Tells that the process does its work from now on. */
export function ready(port = 0): void {
  process.send?.({ port });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

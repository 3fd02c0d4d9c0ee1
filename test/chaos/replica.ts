import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ChildSettings } from './child/steps.js';
import { type Log, lateBy, until } from './log.js';
import type { Step } from './plan.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** The programs of the child processes as plain JavaScript, which starts in a fraction of the time. */
export async function buildChildren(): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  // Within the project, so that its packages are found from there.
  const directory = join(root, 'node_modules', '.cache', `chaos-${process.pid}-${Date.now()}`);
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: ['receiver', 'worker'].map((name) => join(here, 'child', `${name}.ts`)),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias: { '#hmac': join(root, 'src/crypto/hmac-node.ts') },
  });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** What is reported of an event whose handler or record took too long: it may have had an effect, and counts as failed. */
const LATE = ['ERR_WEBHOOK_HANDLER_TIMEOUT', 'ERR_WEBHOOK_STORE'];

/** What a process tells: that it works, that it reported an error, or that the store has recorded an event. */
type Message =
  | { readonly port: number }
  | { readonly code: string; readonly key?: string }
  | { readonly recorded: string; readonly at: number };

/** A receiver or a worker: a process that is there again after each death, until it is stopped. */
export interface Replica {
  readonly name: string;
  /** Where it listens; undefined while it does not. */
  readonly port: number | undefined;
  /** Resolves when it has died; it is started again after `downMs`. */
  kill(step: Step, downMs: number): Promise<void>;
  /** Resolves once it does its work. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** None outlives this process: those that cannot be killed here see their channel to it close, and end by themselves. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

const START_MS = 20_000;
/** How long a process is given to come by the step where it is to die. */
const STEP_MS = 600;

export function startReplica(name: string, program: string, settings: ChildSettings, log: Log): Replica {
  let child: ChildProcess;
  let port: number | undefined;
  let isReady = false;
  let isStopped = false;
  /** Resolved by the death that was asked for. */
  let killing: { readonly downMs: number; died(): void } | undefined;

  function start(): void {
    const words: string[] = [];
    const self = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child = self;
    living.add(self);
    self.stderr?.on('data', (chunk: Buffer) => {
      words.push(...String(chunk).trimEnd().split('\n'));
      words.splice(0, words.length - 30);
    });
    self.on('message', (message: Message) => {
      if ('code' in message) {
        const { code, key } = message;
        log.codes[code] = (log.codes[code] ?? 0) + 1;
        if (key !== undefined && LATE.includes(code)) log.late.add(lateBy(key, self.pid));
      }
      if ('recorded' in message) {
        const { recorded, at } = message;
        log.recorded.set(recorded, Math.min(at, log.recorded.get(recorded) ?? at));
      }
      if ('port' in message) {
        port = message.port;
        isReady = true;
      }
    });
    self.once('exit', (code, signal) => {
      living.delete(self);
      const from = Date.now();
      const wasReady = isReady;
      port = undefined;
      isReady = false;
      if (isStopped) return;
      const asked = killing;
      killing = undefined;
      // What cannot start while a server is down tries again, as whatever keeps processes running has it do.
      if (asked === undefined && wasReady) {
        log.crashes.push({ name, words: `code ${code}, signal ${signal}: ${words.join('\n')}` });
      }
      log.deaths.push({ victim: name, ...(self.pid ? { pid: self.pid } : {}), from, to: from });
      asked?.died();
      setTimeout(() => isStopped || start(), asked?.downMs ?? 100);
    });
  }

  start();
  const ready = () => until(`${name} does its work`, () => isReady, START_MS);

  return {
    name,
    get port() {
      return port;
    },
    ready,
    async kill(step, downMs) {
      await ready();
      const self = child;
      const death = new Promise<void>((died) => {
        killing = { downMs, died };
      });
      const now = () => void self.kill('SIGKILL');
      if (step === 'now') now();
      else self.send(step, () => {});
      const timer = setTimeout(now, STEP_MS);
      await death;
      clearTimeout(timer);
    },
    async stop() {
      isStopped = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}

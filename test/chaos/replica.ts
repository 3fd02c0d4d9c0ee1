import { type ChildProcess, spawn } from 'node:child_process';
import type { ChildSettings } from './child/steps.js';
import { monotonic, sleep } from './clock.js';
import { hear } from './hear.js';
import type { Ending, Log, Outage } from './log.js';
import type { Answers, Command, Message, Order } from './messages.js';
import type { ServerName } from './modes.js';
import type { Wire } from './wire.js';

/** A receiver or a worker: a process that is there again after each end, until it is stopped. */
export type Replica = ReturnType<typeof startReplica>;

/** None outlives this process: those that cannot be killed here see their channel to it close, and end by themselves. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

const START_MS = 20_000;

/** Whether somebody ended a process: a signal did, or it has exited after a SIGTERM with what its drain gave. */
function isCaused(code: number | null, signal: string | null, ending?: Ending): boolean {
  if (signal === 'SIGKILL' || signal === 'SIGTERM') return true;
  return ending !== undefined && (code === 0 || (ending.unfinished ?? 0) > 0);
}

export function startReplica(
  name: string,
  program: string,
  settings: ChildSettings,
  wires: Readonly<Record<ServerName, Wire>>,
  log: Log,
) {
  let child: ChildProcess;
  /** The last lines that its processes wrote to stderr. */
  const words: string[] = [];
  /** The process, while it does its work; a worker's port is 0. */
  let running: { readonly pid: number; readonly port: number } | undefined;
  let isStopped = false;
  let ending: { readonly downMs: number; ended(): void } | undefined;
  let obeyed: (() => void) | undefined;
  let answered: ((answer?: never) => void) | undefined;

  function pause(self: ChildProcess, from = monotonic()): Outage {
    const outage: Outage = { kind: 'pause', victim: name, pid: self.pid, from, to: Number.POSITIVE_INFINITY };
    log.outages.push(outage);
    return outage;
  }

  /** Pauses it for so long; resolves when it resumes. */
  async function freeze(ms: number): Promise<void> {
    const self = child;
    const outage = pause(self);
    self.kill('SIGSTOP');
    await sleep(ms);
    self.kill('SIGCONT');
    outage.to = monotonic();
  }

  /** Wakes a process that stops itself: again and again, as it may be about to. */
  async function wake(self: ChildProcess, outage: Outage, ms: number, isOver: () => boolean): Promise<void> {
    await sleep(ms);
    while (!isOver()) {
      self.kill('SIGCONT');
      await sleep(5);
    }
    outage.to = monotonic();
  }

  function start(): void {
    let isAwake = true;
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
      const pid = self.pid ?? 0;
      hear(message, pid, log);
      if ('port' in message) running = { pid, port: message.port };
      if ('answer' in message) answered?.(message.answer as never);
      if ('dying' in message) ending ??= { downMs: 50, ended() {} };
      if ('struck' in message) {
        const { act, ms } = message.struck;
        isAwake = act !== 'stop';
        if (!isAwake) void wake(self, pause(self, message.at), ms, () => isAwake || !living.has(self)).then(obeyed);
        else obeyed?.();
      }
      if ('awake' in message) isAwake = true;
    });
    self.once('exit', (code, signal) => {
      living.delete(self);
      const wasReady = running !== undefined;
      running = undefined;
      obeyed?.();
      answered?.();
      if (isStopped) return;
      const asked = ending;
      ending = undefined;
      // What cannot start while a server is down tries again, as whatever keeps processes running has it do.
      if (wasReady && !isCaused(code, signal, log.endings.get(self.pid ?? 0))) {
        log.crashes.push({ name, words: `code ${code}, signal ${signal}: ${words.join('\n')}` });
      }
      // Who has ended in order has left nothing that another could have to do again.
      if (code !== 0) {
        const at = monotonic();
        log.outages.push({ kind: 'kill', victim: name, pid: self.pid, from: at, to: at });
      }
      asked?.ended();
      setTimeout(() => isStopped || start(), asked?.downMs ?? 100);
    });
  }

  const tell = (command: Command) => void (child.connected && child.send(command, () => {}));
  start();

  return {
    name,
    wires,
    get running() {
      return running;
    },
    /** Resolves once it does its work. */
    async ready() {
      for (const end = monotonic() + START_MS; running === undefined; await sleep(20)) {
        if (monotonic() > end) throw new Error(`${name} does no work within ${START_MS} ms. ${words.join('\n')}`);
      }
    },
    /** Resolves when the process has carried the order out, or is gone; an older order is withdrawn. */
    order(order: Order) {
      tell(order);
      return new Promise<void>((resolve) => {
        obeyed = resolve;
      });
    },
    withdraw: () => tell('withdraw'),
    /** Resolves when it has ended; it is started again after `downMs`. */
    end(downMs: number) {
      return new Promise<void>((ended) => {
        ending = { downMs, ended };
      });
    },
    signal: (signal: 'SIGKILL' | 'SIGTERM') => void child.kill(signal),
    freeze,
    /** One question at a time. Resolves to its answer; undefined if the process ends meanwhile. */
    ask: <Question extends keyof Answers>(question: Question) =>
      new Promise<Answers[Question] | undefined>((resolve) => {
        answered = resolve;
        tell(question);
        if (!child.connected) resolve(undefined);
      }),
    async stop() {
      isStopped = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}

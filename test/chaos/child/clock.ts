import { readFileSync, renameSync, writeFileSync } from 'node:fs';

interface Clock {
  readonly clockFile: string;
  readonly sharesClock: boolean;
}

let clock: Clock | undefined;
let offMs = 0;

const now = Date.now.bind(Date);
Date.now = () => {
  if (clock?.sharesClock) offMs = read(clock);
  return now() + offMs;
};
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], newTarget),
});

/** Uses the wall clock of a machine, which stays stepped when a process restarts. */
export function useClock(of: Clock): void {
  clock = of;
  offMs = read(of);
}

/** Steps the wall clock, but not the monotonic clock. */
export function stepClock(ms: number): void {
  offMs = ms;
  if (clock === undefined) return;
  const own = `${clock.clockFile}.${process.pid}`;
  writeFileSync(own, String(ms));
  renameSync(own, clock.clockFile);
}

function read({ clockFile }: Clock): number {
  return Number(readFileSync(clockFile, 'utf8'));
}

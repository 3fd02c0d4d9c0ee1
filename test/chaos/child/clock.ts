/** How far this process's wall clock is off, in ms. */
let offMs = 0;

const now = Date.now.bind(Date);
Date.now = () => now() + offMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], newTarget),
});

/** Steps the wall clock. The monotonic one goes on. */
export function stepClock(ms: number): void {
  offMs = ms;
}

/** Milliseconds on the machine's monotonic clock: all processes share it, and no step of a wall clock moves it. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

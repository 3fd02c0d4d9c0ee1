const due = new Set<() => void>();

/** Calls a function before the next frame, once for all requests. */
export function onFrame(work: () => void): void {
  if (due.size === 0) {
    requestAnimationFrame(() => {
      const works = [...due];
      due.clear();
      for (const each of works) each();
    });
  }
  due.add(work);
}

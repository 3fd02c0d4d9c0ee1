const due = new Set<() => void>();

/** Calls before the next frame, once however often it is asked for. */
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

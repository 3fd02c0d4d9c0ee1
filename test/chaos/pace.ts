/** How far a number of things have come. */
export function createPace(total: number) {
  const waiting = new Set<{ readonly share: number; go(): void }>();
  let count = 0;
  const isReached = (share: number) => count >= share * total;
  return {
    /** One more is done. */
    done() {
      count++;
      for (const each of waiting) {
        if (!isReached(each.share)) continue;
        waiting.delete(each);
        each.go();
      }
    },
    /** Resolves when this share of them is done; a share of 0 and less is from the beginning. */
    async reached(share: number) {
      if (isReached(share)) return;
      await new Promise<void>((go) => waiting.add({ share, go }));
    },
  };
}

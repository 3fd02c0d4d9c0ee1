/** Maps in order, with at most `most` calls at once. */
export async function mapAtMost<T, R>(most: number, from: readonly T[], to: (each: T) => Promise<R>): Promise<R[]> {
  if (from.length <= most) return Promise.all(from.map(to));
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    while (next < from.length) {
      const index = next++;
      results[index] = await to(from[index] as T);
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
}

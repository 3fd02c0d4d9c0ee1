/** How many letters are to be changed, added, removed or swapped with their neighbour to make one word the other. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swap = swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(change, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    before = row;
    row = next;
  }
  return row[other.length] as number;
}

/** The word that was probably meant: at most a third of its letters are different. */
export function closest(word: string, words: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const near = words
    .map((each) => ({ each, away: distance(word, each) }))
    .filter(({ each, away }) => away <= Math.max(1, Math.floor(each.length / 3)));
  return near.sort((one, other) => one.away - other.away)[0]?.each;
}

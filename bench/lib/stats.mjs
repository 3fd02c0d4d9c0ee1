/** The value at `share` of the way through sorted numbers. */
export function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at));
}

/** Median and spread of one figure per round. */
export function summarise(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    p25: quantile(sorted, 0.25),
    p75: quantile(sorted, 0.75),
    rounds: sorted.length,
  };
}

/** Runs every candidate once per round, each round starting with another one, and gives the figures by name. */
export async function interleave(candidates, rounds, measure) {
  const names = Object.keys(candidates);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      figures[name].push(await measure(candidates[name], name));
    }
  }
  return figures;
}

/** The ratio of two lists of figures, round by round, so that what slows a whole round down falls out. */
export function ratios(above, below) {
  return above.map((figure, round) => figure / below[round]);
}

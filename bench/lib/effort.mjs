/** What a run takes its numbers for: figures, a quick look at them, or to see that every row works. */
const EFFORTS = ['full', 'quick', 'once'];
const { BENCH_EFFORT = 'full' } = process.env;

/** The number of rounds, calls or milliseconds for the effort of this process. */
export const pick = (full, quick = full, once = 1) => [full, quick, once][EFFORTS.indexOf(BENCH_EFFORT)];

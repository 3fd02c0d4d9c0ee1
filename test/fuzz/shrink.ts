/** The smallest input found that `fails` too: chunks are deleted, then bytes replaced by plain ones. */
export async function shrink(
  input: Buffer,
  fails: (candidate: Buffer) => boolean | Promise<boolean>,
  tries = 2000,
): Promise<Buffer> {
  let best = input;
  let left = tries;
  const accept = async (candidate: Buffer): Promise<boolean> => {
    if (left-- <= 0 || !(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.ceil(input.length / 2); size > 0 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && left > 0; ) {
      const candidate = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (!(await accept(candidate))) at += size;
    }
  }
  for (let at = 0; at < best.length && left > 0; at++) {
    if (best[at] === 0x30) continue;
    const candidate = Buffer.from(best);
    candidate[at] = 0x30;
    await accept(candidate);
  }
  return best;
}

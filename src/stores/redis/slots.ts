type Answers = Promise<readonly unknown[]>;

/**
 * Calls `sendAll` with all keys or, if the server is a cluster, `sendSome` once for each slot: in a cluster, a script
 * may only use keys of one slot, and the server refuses other scripts before they run. Rejects only when all calls have
 * settled. Resolves to the answers in the order of the keys.
 */
export function bySlot(
  isCluster: boolean,
): (
  keys: readonly string[],
  sendAll: (keys: readonly string[]) => Answers,
  sendSome: (keys: readonly string[]) => Answers,
) => Answers {
  let isSplit = isCluster;

  return async (keys, sendAll, sendSome) => {
    if (!isSplit) {
      try {
        return await sendAll(keys);
      } catch (error) {
        if (!/CROSSSLOT/.test(String(error))) throw error;
        isSplit = true;
      }
    }
    const answers = new Map<string, unknown>();
    const calls = await Promise.allSettled(
      slotsOf(keys).map(async (some) => {
        for (const [index, answer] of (await sendSome(some)).entries()) answers.set(some[index] as string, answer);
      }),
    );
    for (const call of calls) if (call.status === 'rejected') throw call.reason;
    return keys.map((key) => answers.get(key));
  };
}

/** The keys by their slot in a cluster. */
function slotsOf(keys: readonly string[]): string[][] {
  const slots = new Map<number, string[]>();
  for (const key of keys) {
    const slot = slotOf(key);
    const others = slots.get(slot);
    if (others) others.push(key);
    else slots.set(slot, [key]);
  }
  return [...slots.values()];
}

/** The slot of an ASCII key: the CRC16 (XMODEM) of its hash tag if it has one. */
export function slotOf(key: string): number {
  const tag = /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (let index = 0; index < tag.length; index++) {
    crc ^= tag.charCodeAt(index) << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc % 16_384;
}

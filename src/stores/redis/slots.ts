import type { Asked, Send } from './batches.js';

/**
 * Calls `sendAll` with all keys or, if the server is a cluster, `sendSome` once for each slot: in a cluster, a script
 * may only use keys of one slot, and the server refuses other scripts before they run. Rejects only when all calls have
 * settled. Resolves to the answers in the order of the keys.
 */
export function bySlot(
  isCluster: boolean,
): (asked: readonly Asked[], sendAll: Send, sendSome: Send) => ReturnType<Send> {
  let isSplit = isCluster;

  return async (asked, sendAll, sendSome) => {
    if (!isSplit) {
      try {
        return await sendAll(asked);
      } catch (error) {
        if (!/CROSSSLOT/.test(String(error))) throw error;
        isSplit = true;
      }
    }
    const answers = new Map<Asked, unknown>();
    const calls = await Promise.allSettled(
      slotsOf(asked).map(async (some) => {
        for (const [index, answer] of (await sendSome(some)).entries()) answers.set(some[index] as Asked, answer);
      }),
    );
    for (const call of calls) if (call.status === 'rejected') throw call.reason;
    return asked.map((each) => answers.get(each));
  };
}

/** The keys by their slot in a cluster. */
function slotsOf(asked: readonly Asked[]): Asked[][] {
  const slots = new Map<number, Asked[]>();
  for (const each of asked) {
    const slot = slotOf(each.key);
    const others = slots.get(slot);
    if (others) others.push(each);
    else slots.set(slot, [each]);
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

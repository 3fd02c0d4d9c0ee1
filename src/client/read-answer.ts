/** Far above any page of webhooks or of the log; what is longer is no answer of this API. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/**
 * Reads the bytes of an answer, and no more of them than {@link MAX_ANSWER_BYTES}, whatever its headers say. Gives
 * undefined for an answer that is longer, which is then not read to its end.
 */
export async function readAnswer(response: Response): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  // One buffer that grows: many small chunks would cost more to keep than they hold.
  let bytes = new Uint8Array(4096);
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return bytes.subarray(0, size);
    if (size + value.byteLength > MAX_ANSWER_BYTES) {
      // Not awaited: whoever sends without end may also not take notice of it.
      reader?.cancel().catch(() => {});
      return undefined;
    }
    if (size + value.byteLength > bytes.byteLength) {
      const larger = new Uint8Array(Math.max(2 * bytes.byteLength, size + value.byteLength));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(value, size);
    size += value.byteLength;
  }
}

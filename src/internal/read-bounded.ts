/**
 * Reads at most `maxBytes` of a response body, whatever its headers say. Returns undefined for a longer body and does not
 * read the rest.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  // One buffer that grows: many small chunks would cost more memory than their bytes.
  let bytes = new Uint8Array(4096);
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return bytes.subarray(0, size);
    if (size + value.byteLength > maxBytes) {
      // Not awaited: an endless sender may also ignore the cancellation.
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

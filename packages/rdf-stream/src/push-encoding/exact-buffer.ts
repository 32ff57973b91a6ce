/**
 * Copies bytes into a buffer that holds them and no more. What zlib returns lies in memory of 16 KiB and more, which a
 * block that is remembered would keep.
 */
export function exactBuffer(bytes: Uint8Array): Buffer {
  const exact = Buffer.allocUnsafeSlow(bytes.length);
  exact.set(bytes);
  return exact;
}

/**
 * Makes an input smaller for as long as it stays a finding: without pieces of it, ever smaller ones.
 *
 * @param isFinding - whether an input still is one
 * @param isLate - whether it has to end
 */
export async function reduced(
  input: Uint8Array,
  isFinding: (input: Uint8Array) => Promise<boolean>,
  isLate: () => boolean,
): Promise<Uint8Array> {
  let smallest = input;
  for (let size = input.length >> 1; size >= 1 && !isLate(); size >>= 1) {
    for (let at = 0; at < smallest.length && !isLate(); ) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await isFinding(shorter)) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}

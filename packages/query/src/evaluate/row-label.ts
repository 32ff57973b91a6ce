/** Odd 32-bit factors with well spread bits. */
const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * A blank node label made of a text: the same for the same text, in every process, and of 128 bits, so that no two texts of
 * an answer share one.
 */
export function rowLabel(key: string): string {
  const state = FACTORS.map((factor) => factor ^ key.length);
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    for (let word = 0; word < 4; word += 1) {
      const mixed = Math.imul((state[word] as number) ^ code, FACTORS[word] as number);
      state[word] = mixed ^ (mixed >>> 15) ^ ((state[(word + 1) % 4] as number) >>> 7);
    }
  }
  // Twice more, so that the last characters reach every bit.
  for (let round = 0; round < 8; round += 1) {
    const word = round % 4;
    const mixed = Math.imul((state[word] as number) ^ (state[(word + 3) % 4] as number), FACTORS[word] as number);
    state[word] = mixed ^ (mixed >>> 13);
  }
  return `r${state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}

/**
 * A number for a text: 1 to 2^53 - 1, alike for alike texts, and for others with a chance of about 1 in 10^16.
 * It is for telling texts apart that nobody chose to be mistaken.
 */
export function hashText(text: string): number {
  let left = 0x9e3779b9 | 0;
  let right = 0x7f4a7c15 | 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    left = Math.imul(left ^ code, 0x01000193);
    right = Math.imul(right + code, 0x5bd1e995) ^ (right >>> 15);
  }
  left = mixed(left ^ (right >>> 7));
  right = mixed(right + left);
  return (right & 0x1fffff) * 4294967296 + (left >>> 0) || 1;
}

function mixed(bits: number): number {
  let result = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  result = Math.imul(result ^ (result >>> 13), 0xc2b2ae35);
  return result ^ (result >>> 16);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LENGTH = 9;

// A state may be asked for at each member: two digits at a time.
const PAIRS = Array.from({ length: 4096 }, (_, bits) => `${DIGITS[bits % 64]}${DIGITS[bits >> 6]}`);

/** Hashes as a text of 9 characters each. */
export function formatHashes(hashes: Iterable<number>): string {
  let text = '';
  for (const hash of hashes) {
    const low = hash % 16_777_216;
    const rest = (hash - low) / 16_777_216;
    const middle = rest & 16_777_215;
    text += PAIRS[low & 4095];
    text += PAIRS[low >> 12];
    text += PAIRS[middle & 4095];
    text += PAIRS[middle >> 12];
    text += DIGITS[(rest - middle) / 16_777_216];
  }
  return text;
}

/** Reads what {@link formatHashes} wrote; what is no hash is left out. */
export function parseHashes(text: string): number[] {
  const hashes: number[] = [];
  for (let at = 0; at + LENGTH <= text.length; at += LENGTH) {
    let hash = 0;
    for (let digit = LENGTH - 1; digit >= 0; digit -= 1) hash = hash * 64 + DIGITS.indexOf(text[at + digit] as string);
    if (hash > 0) hashes.push(hash);
  }
  return hashes;
}

/**
 * A number in [0, 1) that follows from its keys alone; keys that are close give numbers that are not.
 *
 * The demonstration uses it in place of a generator with state, so that what it shows at a moment does
 * not depend on what it showed before.
 */
export function seededUnit(...keys: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of keys.join('/')) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  // Texts that differ in their last character only would otherwise give neighbouring numbers.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

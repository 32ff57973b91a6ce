/**
 * The same text in memory of its own. What is cut out of a larger text holds all of that in memory, which matters where
 * it outlives it.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}

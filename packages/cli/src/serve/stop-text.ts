/** How many readers may be sent away without a word: it takes no longer than a second. */
const FEW = 100;

/**
 * What is shown when a server begins to stop and that takes a while; nothing otherwise.
 *
 * @param connections - open push connections
 */
export function stopText(connections: number): string {
  if (connections <= FEW) return '';
  return `Stopping: ${connections} readers are sent away one after the other. Interrupt again to stop at once.\n`;
}

let addresses = 1;

/**
 * An address of the loopback network for the connections of one process: ports of one that were used a moment ago are not
 * free at once, and each has some 28,000 to one server.
 */
export function nextAddress(): string {
  addresses = (addresses % 250) + 1;
  return `127.0.0.${addresses}`;
}

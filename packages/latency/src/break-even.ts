/** The break-even advertised where nothing was measured, in seconds: that of the published experiment. */
export const DEFAULT_BREAK_EVEN_SECONDS = 10;

/**
 * The MAL at which polling begins to serve as many users as there are: `users / requests per second`.
 *
 * Formula (1) of "Comparing a polling and push-based approach for live Open Data interfaces" (2020),
 * solved for the MAL. Below it push is the cheaper way, above it pull.
 *
 * @param load.users - how many follow the stream, 0 or more
 * @param load.requestsPerSecond - how many requests the interface supports, above 0
 * @returns seconds
 */
export function breakEvenMalSeconds(load: { users: number; requestsPerSecond: number }): number {
  return load.users / load.requestsPerSecond;
}

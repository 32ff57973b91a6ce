/**
 * The break-even advertised where nothing was measured, in seconds: the MAL below which push is the cheaper
 * way and above which pull is.
 *
 * By formula (1) of "Comparing a polling and push-based approach for live Open Data interfaces" (2020) an
 * interface that is polled must support `users / MAL` requests a second. The one measured there supported
 * 2520, which serve 25,200 users at a MAL of 10 s: about as many as push did.
 *
 * @see specs/mal.md MAL-5
 */
export const DEFAULT_BREAK_EVEN_SECONDS = 10;

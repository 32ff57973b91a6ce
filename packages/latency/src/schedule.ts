/**
 * What is known of a stream's next update.
 *
 * `interval`: an update can become visible every `intervalMs` milliseconds, next at `nextMs` (epoch
 * milliseconds, on the clock of whoever states it). `unknown`: at any moment.
 *
 * @see specs/mal.md MAL-1
 */
export type Schedule =
  | { readonly kind: 'interval'; readonly intervalMs: number; readonly nextMs: number }
  | { readonly kind: 'unknown' };

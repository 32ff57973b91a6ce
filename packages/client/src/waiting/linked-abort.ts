/** A controller that a signal aborts too, until it is unlinked. */
export interface LinkedAbort {
  readonly controller: AbortController;
  /** Ends the link, so that a long-lived signal does not hold on to what is over. */
  unlink(): void;
}

/** Makes a controller that is aborted with a signal, for the same reason. */
export function linkedAbort(signal: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { controller, unlink: () => signal?.removeEventListener('abort', abort) };
}

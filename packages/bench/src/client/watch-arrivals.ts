import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Requests for documents, but for those of push, that reach a server of this process. */
export interface Arrivals {
  /** Forgets those that came. */
  begin(): void;
  /** When they came, milliseconds since the beginning, ascending. */
  sinceBeginMs(): readonly number[];
  close(): void;
}

/** Notes when requests for documents reach a port of this process. */
export function watchArrivals(port: number): Arrivals {
  let startMs = performance.now();
  let arrivals: number[] = [];
  const note = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.socket.localPort !== port || /\/events(\?|$)/.test(request.url ?? '')) return;
    arrivals.push(performance.now() - startMs);
  };
  subscribe('http.server.request.start', note);
  return {
    begin: () => {
      startMs = performance.now();
      arrivals = [];
    },
    sinceBeginMs: () => arrivals,
    close: () => void unsubscribe('http.server.request.start', note),
  };
}

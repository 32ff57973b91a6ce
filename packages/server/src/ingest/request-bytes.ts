import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errors } from '../errors.ts';
import { ENDED } from './ended.ts';

/** What reading a body takes. */
export interface BodyLimits {
  readonly limitSilenceMs: number;
  readonly limitPostMs: number;
}

/** Time, as reading a body takes it. */
export interface BodyEdge {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Resolves after so many milliseconds, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>;
}

// By connection, since who finds that one has ended in the middle of a request knows nothing else.
const readings = new WeakMap<Socket, () => void>();

/**
 * Tells the post that is being read from a connection that nothing more will come. It answers then.
 *
 * @returns whether there is one
 */
export function breakOffPost(socket: Socket): boolean {
  const tell = readings.get(socket);
  tell?.();
  return tell !== undefined;
}

/**
 * Has what comes to be known of a connection in the middle of a request told to who reads from it.
 *
 * @returns ends that
 */
export function onBreakOff(socket: Socket, tell: () => void): () => void {
  readings.set(socket, tell);
  return () => {
    if (readings.get(socket) === tell) readings.delete(socket);
  };
}

/**
 * The bytes of a body as they come, as fast as they are asked for. The connection stays, whatever becomes of them, and
 * nothing is left on the request that would keep the rest from being dropped.
 *
 * @param signal - ends it, also while it waits: with its reason
 * @throws {@link StreamError} `ERR_POST_BROKEN_OFF` - the connection ended before the body
 * @throws {@link StreamError} `ERR_POST_LATE` - nothing came for too long, or all of it took too long
 * @see specs/ingest.md ING-43, ING-44
 */
export async function* requestBytes(
  request: IncomingMessage,
  { limitSilenceMs, limitPostMs }: BodyLimits,
  { clock, sleep }: BodyEdge,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const fromMs = clock();
  let bytes = 0;
  let wake: () => void = () => undefined;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    wake();
  };
  const brokenOff = (cause?: unknown) => fail(errors.ERR_POST_BROKEN_OFF({ bytes }, cause));
  const listeners = {
    readable: () => wake(),
    end: () => wake(),
    close: () => (request.complete ? wake() : brokenOff()),
    error: (cause: unknown) => brokenOff(cause),
  };
  const stop = () => fail(signal.reason);
  // It may be told while what came before is still worked on.
  const endTelling = onBreakOff(request.socket, brokenOff);
  for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      if (failure !== undefined) throw failure;
      const piece: Buffer | null = request.read();
      if (piece) {
        if (clock() - fromMs > limitPostMs) throw errors.ERR_POST_LATE({ limit: 'limitPostMs', value: limitPostMs });
        bytes += piece.length;
        yield piece;
        continue;
      }
      if (request.readableEnded) return;
      if (request.destroyed) throw errors.ERR_POST_BROKEN_OFF({ bytes });
      const wait = new AbortController();
      await new Promise<void>((resolve) => {
        wake = resolve;
        sleep(limitSilenceMs, wait.signal).then(
          () => fail(errors.ERR_POST_LATE({ limit: 'limitSilenceMs', value: limitSilenceMs })),
          () => undefined,
        );
      }).finally(() => wait.abort(ENDED));
    }
  } finally {
    endTelling();
    signal.removeEventListener('abort', stop);
    for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { onBreakOff } from '../ingest/request-bytes.ts';

/** What may still be sent of a body that was answered already, and for how long. */
export interface DrainLimits {
  /** Bytes. */
  readonly limitBytes: number;
  /** For how long nothing need come, milliseconds. */
  readonly limitSilenceMs: number;
  /** In all, milliseconds. */
  readonly limitMs: number;
}

/** Enough for those who look for an answer only when they have sent all, and bounded for those who never have. */
const DRAIN_LIMITS: DrainLimits = { limitBytes: 64 * 1024 * 1024, limitSilenceMs: 5000, limitMs: 30_000 };

/**
 * Reads and drops what is still sent of a body that gets its answer before its end. Who sends finds the answer then, and can
 * use the connection again: were it closed at once, what is on its way would have the answer thrown away. Past a limit the
 * connection is cut.
 *
 * @param sleep - resolves after so many milliseconds, or rejects once the signal is aborted
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 * @see specs/ingest.md ING-45
 */
export function drainRequest(
  request: IncomingMessage,
  response: ServerResponse,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
  { limitBytes, limitSilenceMs, limitMs }: DrainLimits = DRAIN_LIMITS,
): void {
  if (request.readableEnded || request.destroyed) return;
  const done = new AbortController();
  const endTelling = onBreakOff(request.socket, () => {
    // Nothing more can come: the answer is the last that is said.
    const end = () => request.socket.destroySoon();
    if (response.writableFinished) end();
    else response.once('finish', end);
  });
  for (const event of ['end', 'close', 'error']) {
    request.once(event, () => {
      endTelling();
      done.abort();
    });
  }
  let bytes = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > limitBytes) request.destroy();
  });
  const watch = async () => {
    for (let before = -1; before !== bytes; ) {
      before = bytes;
      await sleep(limitSilenceMs, done.signal);
    }
  };
  // Whichever comes first, unless all has come before.
  Promise.race([watch(), sleep(limitMs, done.signal)]).then(
    () => request.destroy(),
    () => undefined,
  );
  request.resume();
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Where the `fetch` of Node.js tells of each connection that it opens. */
const CONNECTED = 'undici:client:connected';

/**
 * Counts what the connections bring that `fetch` opens in this process from now on: header fields and bodies as they come,
 * compressed, without the frames of TLS and TCP. `fetch` itself tells of a body only what it is after decompression.
 */
export class WireBytes {
  readonly #open = new Set<Socket>();
  #closedBytes = 0;
  readonly #connected = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    this.#open.add(socket);
    socket.once('close', () => {
      this.#closedBytes += socket.bytesRead;
      this.#open.delete(socket);
    });
  };

  constructor() {
    subscribe(CONNECTED, this.#connected);
  }

  /** Bytes received so far. */
  get received(): number {
    return [...this.#open].reduce((sum, { bytesRead }) => sum + bytesRead, this.#closedBytes);
  }

  /** Counts no further connection. */
  stop(): void {
    unsubscribe(CONNECTED, this.#connected);
  }
}

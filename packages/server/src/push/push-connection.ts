import type { ServerResponse } from 'node:http';

/** What a connection may hold back, and how it is cut. */
export interface PushLimits {
  /** Bytes that may wait for one slow reader. @defaultValue 1 MiB */
  readonly limitQueueBytes: number;
}

/**
 * One push connection: a place to write shared bytes to, bounded in what may wait for its reader.
 */
export class PushConnection {
  readonly #response: ServerResponse;
  readonly #limitQueueBytes: number;

  constructor(response: ServerResponse, limits: PushLimits) {
    this.#response = response;
    this.#limitQueueBytes = limits.limitQueueBytes;
  }

  /** Whether it can still be written to. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /**
   * Writes bytes that other connections share; ends a connection whose reader has fallen too far behind:
   * it resumes after the last event that it has read whole.
   *
   * @see specs/push.md PUSH-9
   */
  write(bytes: Uint8Array): void {
    // Asked before the write: a large commit must not cut those who have kept up.
    if (this.#response.writableLength > this.#limitQueueBytes) this.#response.destroy();
    else this.#response.write(bytes);
  }

  /** Resolves when what was written has left, or the connection is closed. */
  async drained(): Promise<void> {
    const response = this.#response;
    if (!response.writableNeedDrain || !this.isOpen) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  /** Ends the stream in order, and cuts it when its reader does not take the end in time. */
  end(graceMs: number): void {
    this.#response.end();
    setTimeout(() => this.#response.destroy(), graceMs).unref();
  }
}

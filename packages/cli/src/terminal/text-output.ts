import type { CliOutput } from '../environment.ts';
import { errors } from '../errors.ts';

/**
 * Writes text to a stream that a person or a program reads, no faster than it is read.
 *
 * A reader that leaves, as `head` does when it has enough, is no error: {@link TextOutput.ended} says so.
 */
export class TextOutput {
  readonly #stream: CliOutput;
  readonly #ended = new AbortController();
  #failure: Error | undefined;
  readonly #onError = (error: NodeJS.ErrnoException): void => {
    const reason = error.code ?? error.message;
    if (reason !== 'EPIPE') this.#failure ??= errors.ERR_OUTPUT({ reason }, error);
    this.#ended.abort();
  };

  constructor(stream: CliOutput) {
    this.#stream = stream;
    stream.on('error', this.#onError);
  }

  /** Aborted when nothing more can be written. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Writes; resolves once the text has been handed on, or nobody reads any more. */
  async write(text: string): Promise<void> {
    if (text === '' || this.ended.aborted) return;
    await new Promise<void>((resolve) => {
      // What goes wrong comes as an event as well, where it is judged.
      this.#stream.write(text, () => resolve());
    });
  }

  /**
   * Lets go of the stream.
   *
   * @throws {@link StreamError} `ERR_OUTPUT` - it could not be written, for another reason than that its reader left
   */
  close(): void {
    this.#stream.off('error', this.#onError);
    if (this.#failure) throw this.#failure;
  }
}

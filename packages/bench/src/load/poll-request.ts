import type { PollTarget } from './poll-messages.ts';

/** The bytes of the requests for one document. */
export class PollRequest {
  readonly #head: string;
  readonly #plain: Buffer;
  #etag: string | undefined;
  #conditional: Buffer;
  readonly #isConditional: boolean;

  /** @param isConditional - whether a reader that has a version asks for another one only */
  constructor({ port, path }: PollTarget, headers: Readonly<Record<string, string>>, isConditional: boolean) {
    this.#isConditional = isConditional;
    const fields = { host: `127.0.0.1:${port}`, ...headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = `GET ${path} HTTP/1.1\r\n${lines.join('')}`;
    this.#plain = Buffer.from(`${this.#head}\r\n`);
    this.#conditional = this.#plain;
  }

  /** @param etag - of what the reader has */
  bytes(etag: string | undefined): Buffer {
    if (etag === undefined || !this.#isConditional) return this.#plain;
    // Nearly all readers have the same version.
    if (etag !== this.#etag) {
      this.#etag = etag;
      this.#conditional = Buffer.from(`${this.#head}if-none-match: ${etag}\r\n\r\n`);
    }
    return this.#conditional;
  }
}

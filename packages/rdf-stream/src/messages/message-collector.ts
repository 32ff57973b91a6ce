import type { Quad } from '@rdfjs/types';

/**
 * Puts quads and delimiters together to messages.
 *
 * @see specs/messages.md MSG-2, MSG-3
 */
export class MessageCollector {
  readonly #messages: Quad[][] = [];
  #current: Quad[] = [];
  #isLog = false;

  /** Takes a version label: those that end in `-messages` announce delimiters. */
  version(label: string): void {
    this.#isLog ||= label.endsWith('-messages');
  }

  add(quad: Quad): void {
    this.#current.push(quad);
  }

  /** Ends the present message, empty or not; false where no version announced delimiters. */
  delimit(): boolean {
    if (this.#isLog) this.#close();
    return this.#isLog;
  }

  /** The messages: a delimiter at the very end begins none. */
  end(): readonly (readonly Quad[])[] {
    if (this.#current.length > 0 || this.#messages.length === 0) this.#close();
    return this.#messages;
  }

  #close(): void {
    this.#messages.push(this.#current);
    this.#current = [];
  }
}

/**
 * What the surroundings of a client allow it. {@link hostEnvironment} finds out by itself; programs that know better
 * give one of their own.
 *
 * @see specs/mal.md MAL-60
 */
export interface ClientEnvironment {
  /** Whether there is a network at all, as far as is known: `true` where nobody says. */
  isOnline(): boolean;
  /**
   * Listens for the network coming back.
   *
   * @returns ends the listening
   */
  onOnline(listener: () => void): () => void;
  /**
   * Asks for the leave to hold a push connection open, for as long as that connection lasts.
   *
   * @param url - of the push endpoint: what counts is its origin
   * @returns gives the leave back, once however often it is called; `undefined` where none is free
   */
  pushSlot(url: string): Promise<(() => void) | undefined>;
}

/**
 * The way to another process, and back: messages arrive whole and in the order in which they were sent, as a structured
 * clone of what was sent.
 */
export interface WorkerChannel<Sent, Received> {
  /** @returns resolves once the message has left this process, and also when it never will: the channel is closed */
  send(message: Sent): Promise<void>;
  /** Calls a listener with each message from now on. Called once. */
  onMessage(listener: (message: Received) => void): void;
  /** Calls a listener when nothing can be sent or received any more. */
  onClose(listener: () => void): void;
  /** Ends the other process, or at least the way to it, without asking. */
  cut(): void;
}

/** What a server and its clients cost, for whom capacity is reckoned. */
export interface CapacityCosts {
  /** Polls of the latest state that one core answers, a second. */
  readonly requestsPerSecond: number;
  /** Events that one core writes to push connections, a second. */
  readonly deliveriesPerSecond: number;
  /** The greatest share of a core that is to be used, above 0 and at most 1. */
  readonly utilisation: number;
  /** Memory for a push connection. */
  readonly bytesPerStream: number;
  /** Memory for a connection that a polling client keeps open between two polls. */
  readonly bytesPerPoller: number;
  /** Memory of a server process that nobody is connected to; each core has one. */
  readonly bytesPerProcess: number;
  /** How long a server keeps a connection on which nothing is asked, seconds. */
  readonly keepAliveSeconds: number;
  /** Header fields and framing of an answer to a poll, bytes on the wire. */
  readonly pollOverheadBytes: number;
  /** What frames an event, bytes on the wire. */
  readonly eventOverheadBytes: number;
  /** How many times smaller the answer to a poll is, compressed. */
  readonly pollCompression: number;
  /** How many times smaller an event is, compressed. */
  readonly pushCompression: number;
}

/** Whom a stream is to reach, how late at most, and at what cost. */
export interface CapacityQuestion {
  /** Readers at a time, 1 or more. */
  readonly users: number;
  /** The maximum acceptable latency of them all, seconds, above 0. */
  readonly malSeconds: number;
  /** From one update to the next, seconds, above 0; absent where updates cannot be predicted. */
  readonly intervalSeconds?: number;
  /** The state that each update brings, as one document or one event, not compressed. */
  readonly payloadBytes: number;
  /**
   * Places at which a content delivery network (CDN) answers polls, each with a copy of its own; absent without one. Push
   * streams pass through it, each of them its own.
   */
  readonly cdnPops?: number;
  readonly costs: CapacityCosts;
}

/** A message as a broker delivered it. */
export interface MqttMessage {
  /** In full, also where the broker sent an alias. */
  readonly topic: string;
  readonly payload: Uint8Array;
  /** By which it is acknowledged; absent at QoS 0. */
  readonly messageId?: number;
  /** It may have been delivered before. */
  readonly isRepeated: boolean;
  /** The broker had kept it, and sent it because its topic was asked for. */
  readonly isRetained: boolean;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
  /** Why its payload was not taken: it is larger than the limit. `payload` is empty then. */
  readonly oversizedBytes?: number;
}

/** How large the measurement of messages is. */
export interface MqttSize {
  /** Each with a connection of its own, and one message a second. */
  readonly sensors: number;
  readonly seconds: number;
  /** When the broker restarts, seconds from the first message. */
  readonly brokerRestartSeconds: number;
  /** When the server restarts, seconds from the first message. */
  readonly serverRestartSeconds: number;
  /** For how long after the beginning of a restart messages are told apart from the others, seconds. */
  readonly settleSeconds: number;
}

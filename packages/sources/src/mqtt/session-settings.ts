/** What a session at a broker needs to know. */
export interface SessionSettings {
  /** The broker, as it may be shown. */
  readonly broker: string;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  readonly topics: readonly { readonly filter: string; readonly qos: 0 | 1 }[];
  readonly sessionExpirySeconds: number;
  readonly keepAliveSeconds: number;
  readonly limitPacketBytes: number;
  readonly limitWaitingMessages: number;
  readonly limitTopicAliases: number;
  readonly limitConnectMs: number;
  /** The broker granted everything before: if it still has the session, it is not asked again. */
  readonly isSubscribed: boolean;
}

import type { CompiledMapping } from '../mapping/compile.ts';

/** What is asked of a broker. */
export interface MqttTopic {
  /**
   * A topic filter of MQTT, such as `sensors/+/temperature`; `#` at its end stands for all levels below, and
   * `$share/GROUP/FILTER` is a shared subscription, where the broker knows them.
   */
  readonly filter: string;
  /**
   * 1: the broker keeps a message until it has been stored. 0: what is published while nobody listens is lost.
   * @defaultValue 1
   */
  readonly qos?: 0 | 1;
}

/** How a connection is kept private; all texts are PEM. */
export interface MqttTls {
  /** Certificates of the authorities that may have signed the broker's. @defaultValue those of Node.js */
  readonly authorities?: string;
  /** The certificate of this client, where the broker asks for one. */
  readonly certificate?: string;
  /** The key of `certificate`. */
  readonly privateKey?: string;
}

/** How much is taken from a broker, and how long it may take. */
export interface MqttLimits {
  /**
   * The largest packet, header and topic included, bytes: 1024 to 268435460. A larger message is reported, acknowledged
   * and not published.
   * @defaultValue 1048576
   */
  readonly limitPacketBytes?: number;
  /**
   * How many messages may wait to be stored, 1 to 65535; nothing is read from the broker while more do. In MQTT 5 it is the
   * Receive Maximum too.
   * @defaultValue 10000
   */
  readonly limitWaitingMessages?: number;
  /**
   * How many bytes of messages may wait to be stored, 1024 or more; nothing is read from the broker while more do.
   * @defaultValue 67108864
   */
  readonly limitWaitingBytes?: number;
  /** How many messages are mapped and stored together, 1 to 65535. @defaultValue 1000 */
  readonly limitBatchMessages?: number;
  /** How many topic aliases a broker may set, MQTT 5, 0 to 65535. @defaultValue 1000 */
  readonly limitTopicAliases?: number;
  /** How long it may take until the broker has granted the subscriptions, milliseconds: 1 to 86400000. @defaultValue 10000 */
  readonly limitConnectMs?: number;
}

/** How long it is waited before a broker is asked again; half of each wait is random. */
export interface MqttReconnect {
  /** The longest first wait, milliseconds: 1 to 86400000. @defaultValue 500 */
  readonly baseMs?: number;
  /** The longest wait, milliseconds: `baseMs` to 86400000. @defaultValue 30000 */
  readonly maxMs?: number;
}

/** A broker, what is taken from it, and how that becomes RDF. */
export interface MqttSourceOptions {
  /**
   * Where the broker is: `mqtt://` (port 1883 unless stated) or `mqtts://` (8883), host and port; without path. A user and
   * password in it are used, and never shown.
   */
  readonly url: string;
  /**
   * Its name within the stream, never a secret.
   * @defaultValue `url` without user
   */
  readonly origin?: string;
  /** 4 is MQTT 3.1.1, 5 is MQTT 5. @defaultValue 5 */
  readonly version?: 4 | 5;
  /**
   * Name of the session at the broker: 1 to 65535 bytes of UTF-8, always the same for one stream, and of nobody else. Some
   * brokers of MQTT 3.1.1 take no more than 23 letters and digits.
   */
  readonly clientId: string;
  /** At least one, at most 1000. */
  readonly topics: readonly MqttTopic[];
  /** How a message becomes RDF: its payload is the document, and `$topic[n]` a level of its topic, from 0. */
  readonly mapping: Pick<CompiledMapping, 'reading' | 'kind' | 'map'>;
  /** @defaultValue that of `url` */
  readonly username?: string;
  /** @defaultValue that of `url` */
  readonly password?: string;
  readonly tls?: MqttTls;
  /**
   * How long the broker keeps messages while nobody listens, seconds: 0 to 4294967295, which is for ever. MQTT 5 only; in
   * MQTT 3.1.1 the broker decides.
   * @defaultValue 86400
   */
  readonly sessionExpirySeconds?: number;
  /**
   * How often the broker is asked for a sign of life, seconds: 1 to 65535. Without one for half as long again it counts as
   * lost. A broker of MQTT 5 may set another.
   * @defaultValue 30
   */
  readonly keepAliveSeconds?: number;
  /**
   * What a message without payload says, by which MQTT clears a retained message: `ends` the entity, if its IRI
   * follows from the topic alone; or nothing (`ignored`). Of observations it always says nothing.
   * @defaultValue `ends`
   */
  readonly emptyPayload?: 'ends' | 'ignored';
  readonly reconnect?: MqttReconnect;
  readonly limits?: MqttLimits;
}

import { errors } from '../errors.ts';
import { checkInteger, MAX_INTERVAL_MS } from '../options.ts';
import { type MqttAddress, readMqttAddress } from './mqtt-address.ts';
import type { MqttSourceOptions, MqttTls } from './mqtt-source-options.ts';
import type { SessionSettings } from './session-settings.ts';
import { isTopicFilter } from './topic-filter.ts';

/** What is used where options say nothing. */
const DEFAULTS = {
  version: 5,
  sessionExpirySeconds: 86_400,
  keepAliveSeconds: 30,
  emptyPayload: 'ends',
  baseMs: 500,
  maxMs: 30_000,
  limitPacketBytes: 1_048_576,
  limitWaitingMessages: 10_000,
  limitWaitingBytes: 67_108_864,
  limitBatchMessages: 1000,
  limitTopicAliases: 1000,
  limitConnectMs: 10_000,
} as const;

const LIMIT_TOPICS = 1000;
const LARGEST_PACKET_BYTES = 268_435_460;

/** Options that have been checked, with everything that they leave open. */
export interface MqttPlan {
  readonly origin: string;
  readonly address: MqttAddress;
  readonly tls: MqttTls;
  readonly session: Omit<SessionSettings, 'isSubscribed'>;
  readonly mapping: MqttSourceOptions['mapping'];
  readonly endsWhenEmpty: boolean;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly limitWaitingBytes: number;
  readonly limitBatchMessages: number;
}

/**
 * Checks the options of a source.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 * @see specs/mqtt.md MQTT-1
 */
export function planMqtt(options: MqttSourceOptions): MqttPlan {
  const address = readMqttAddress('url', options.url);
  const { version, sessionExpirySeconds, keepAliveSeconds, emptyPayload } = { ...DEFAULTS, ...options };
  const { baseMs, maxMs } = { ...DEFAULTS, ...options.reconnect };
  const limits = { ...DEFAULTS, ...options.limits };
  const { limitPacketBytes, limitWaitingMessages, limitWaitingBytes, limitBatchMessages } = limits;
  const { limitTopicAliases, limitConnectMs } = limits;
  checkOneOf('version', version, [4, 5]);
  checkOneOf('emptyPayload', emptyPayload, ['ends', 'ignored']);
  checkText('clientId', options.clientId, 1);
  checkTopics(options.topics);
  checkInteger('sessionExpirySeconds', sessionExpirySeconds, 0, 4_294_967_295);
  checkInteger('keepAliveSeconds', keepAliveSeconds, 1, 65_535);
  checkInteger('reconnect.baseMs', baseMs, 1, MAX_INTERVAL_MS);
  checkInteger('reconnect.maxMs', maxMs, baseMs, MAX_INTERVAL_MS);
  checkInteger('limitPacketBytes', limitPacketBytes, 1024, LARGEST_PACKET_BYTES);
  checkInteger('limitWaitingMessages', limitWaitingMessages, 1, 65_535);
  checkInteger('limitWaitingBytes', limitWaitingBytes, 1024, Number.MAX_SAFE_INTEGER);
  checkInteger('limitBatchMessages', limitBatchMessages, 1, 65_535);
  checkInteger('limitTopicAliases', limitTopicAliases, 0, 65_535);
  checkInteger('limitConnectMs', limitConnectMs, 1, MAX_INTERVAL_MS);
  const username = options.username ?? address.username;
  const password = options.password ?? address.password;
  if (username !== undefined) checkText('username', username, 0);
  if (password !== undefined) checkPassword(password, username, version);
  return {
    origin: options.origin ?? address.shown,
    address,
    tls: options.tls ?? {},
    session: {
      broker: address.shown,
      version,
      clientId: options.clientId,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      topics: options.topics.map(({ filter, qos = 1 }) => ({ filter, qos })),
      sessionExpirySeconds,
      keepAliveSeconds,
      limitPacketBytes,
      limitWaitingMessages,
      limitTopicAliases,
      limitConnectMs,
    },
    mapping: options.mapping,
    endsWhenEmpty: emptyPayload === 'ends' && options.mapping.kind === 'state',
    baseMs,
    maxMs,
    limitWaitingBytes,
    limitBatchMessages,
  };
}

function checkTopics(topics: MqttSourceOptions['topics']): void {
  checkInteger('topics.length', topics.length, 1, LIMIT_TOPICS);
  topics.forEach(({ filter, qos = 1 }, index) => {
    checkOneOf(`topics[${index}].qos`, qos, [0, 1]);
    const isRepeated = topics.findIndex((topic) => topic.filter === filter) !== index;
    if (isTopicFilter(filter) && !isRepeated) return;
    const expected = isRepeated
      ? 'each filter once'
      : 'a topic filter: levels between "/", "+" for one, "#" for the rest';
    throw errors.ERR_SOURCE_OPTION({ option: `topics[${index}].filter`, value: `"${filter}"`, expected });
  });
}

function checkOneOf(option: string, value: unknown, allowed: readonly unknown[]): void {
  if (allowed.includes(value)) return;
  throw errors.ERR_SOURCE_OPTION({ option, value: JSON.stringify(value), expected: allowed.join(' or ') });
}

function checkText(option: string, value: string, leastBytes: number): void {
  const bytes = Buffer.byteLength(value);
  if (bytes >= leastBytes && bytes <= 65_535 && !value.includes('\0')) return;
  const expected = `a text of ${leastBytes} to 65535 bytes without NUL`;
  throw errors.ERR_SOURCE_OPTION({ option, value: `${bytes} bytes long`, expected });
}

function checkPassword(password: string, username: string | undefined, version: 4 | 5): void {
  checkText('password', password, 0);
  if (username !== undefined || version === 5) return;
  const expected = 'a username with it, which MQTT 3.1.1 demands';
  throw errors.ERR_SOURCE_OPTION({ option: 'password', value: 'alone', expected });
}

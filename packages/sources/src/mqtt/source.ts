/* The source of the messages of an MQTT broker.
 *
 * broker -> session -> waiting messages -> mapping -> rounds (one version of an entity each) -> yield -> stored -> PUBACK,
 * in order of arrival. A connection that ends is followed by a wait and another one, until the consumer ends. */

import { backoffMs } from '@ldes-live/latency';
import { type Draft, isStreamError, type LatestView, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { MAX_PROBLEMS } from '../mapping/map-document.ts';
import {
  checkedNumbers,
  checkInteger,
  MAX_INTERVAL_MS,
  named,
  parsedUrl,
  unescaped,
  withoutSecrets,
} from '../options.ts';
import { HealthTracker, UnmappedWatch } from '../polling/health.ts';
import { PollListeners, type Source } from '../source.ts';
import {
  type ConnectionSettings,
  type MqttAddress,
  type MqttConnection,
  type MqttEnvironment,
  type MqttTls,
  openConnection,
  systemMqttEnvironment,
} from './connection.ts';
import { isTopicFilter } from './packets.ts';
import { type DeliveredMessages, type MessageStoring, type StoredMessages, storeMessages, sumCounts } from './store.ts';

/** What is asked of a broker. */
export interface MqttTopic {
  /** Such as `sensors/+/temperature`; `#` at its end is all levels below, `$share/GROUP/FILTER` a shared subscription. */
  readonly filter: string;
  /** 1: a message is kept until it has been stored. 0: what comes while nobody listens is lost. @defaultValue 1 */
  readonly qos?: 0 | 1;
}

/** How much is taken from a broker, and how long it may take. */
export interface MqttLimits {
  /** Bytes of the largest packet, 1024 to 268435460: a larger message is reported and left out. @defaultValue 1048576 */
  readonly limitPacketBytes?: number;
  /** Messages that may wait until nothing more is read, 1 to 65535; in MQTT 5 Receive Maximum. @defaultValue 10000 */
  readonly limitWaitingMessages?: number;
  /** Bytes of messages that may wait until nothing more is read, 1024 or more. @defaultValue 67108864 */
  readonly limitWaitingBytes?: number;
  /** How many messages are mapped and stored together, 1 to 65535. @defaultValue 1000 */
  readonly limitBatchMessages?: number;
  /** How many topic aliases a broker may set, MQTT 5, 0 to 65535. @defaultValue 1000 */
  readonly limitTopicAliases?: number;
  /** How long a broker may take to grant the subscriptions, milliseconds: 1 to 86400000. @defaultValue 10000 */
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
   * Where the broker is: `mqtt://` (port 1883 unless stated) or `mqtts://` (8883), host and port; without path. A user
   * and password in it are used, and never shown.
   */
  readonly url: string;
  /** Its name within the stream, never a secret. @defaultValue `url` without user */
  readonly origin?: string;
  /** 4 is MQTT 3.1.1, 5 is MQTT 5. @defaultValue 5 */
  readonly version?: 4 | 5;
  /**
   * Name of the session at the broker: 1 to 65535 bytes of UTF-8, always the same for one stream, and of nobody else.
   * Some brokers of MQTT 3.1.1 take no more than 23 letters and digits.
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
  /** How long an MQTT 5 broker keeps messages while nobody listens, seconds: 0 to 4294967295. @defaultValue 86400 */
  readonly sessionExpirySeconds?: number;
  /** How often a sign of life is asked for, seconds: 1 to 65535; a broker of MQTT 5 may set another. @defaultValue 30 */
  readonly keepAliveSeconds?: number;
  /**
   * Whether a message without payload `ends` the entity whose IRI follows from the topic alone, or is `ignored`; of
   * observations it always is. @defaultValue `ends`
   */
  readonly emptyPayload?: 'ends' | 'ignored';
  readonly reconnect?: MqttReconnect;
  readonly limits?: MqttLimits;
}

type Batches = AsyncGenerator<readonly Draft[], void, void>;

/** Numbers of options: what is used where they say nothing, the least and the most. */
export const RANGES = {
  sessionExpirySeconds: [86_400, 0, 4_294_967_295],
  keepAliveSeconds: [30, 1, 65_535],
  limitPacketBytes: [1_048_576, 1024, 268_435_460],
  limitWaitingMessages: [10_000, 1, 65_535],
  limitWaitingBytes: [67_108_864, 1024],
  limitBatchMessages: [1000, 1, 65_535],
  limitTopicAliases: [1000, 0, 65_535],
  limitConnectMs: [10_000, 1, MAX_INTERVAL_MS],
} as const;
const RECONNECT_RANGES = { baseMs: [500, 1, MAX_INTERVAL_MS], maxMs: [30_000, 1, MAX_INTERVAL_MS] } as const;
const LIMIT_TOPICS = 1000;
const LONGEST_TEXT_BYTES = 65_535;

/** Of a flood of messages so many are looked at for fields that are not mapped; of fewer, all are. */
const LOOK_PACE = { looks: 100, everyMs: 1000 };

/**
 * Makes the source of the messages of an MQTT broker.
 *
 * A message is acknowledged once what it says has been stored, so that the broker delivers again what was not; what
 * waits while others are stored is stored together.
 *
 * @param environment - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 * @example
 * ```ts
 * const mapping = compileMapping(parseMapping(value), { publicUrl, streamUrl });
 * const topics = [{ filter: 'sensors/+/temperature' }];
 * const source = createMqttSource({ url: 'mqtts://broker.example', clientId: 'ldes-live-sensors', topics, mapping });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/mqtt.md
 */
export function createMqttSource(options: MqttSourceOptions, environment: Partial<MqttEnvironment> = {}): Source {
  const plan = planMqtt(options);
  const { origin, baseMs, maxMs } = plan;
  const world: MqttEnvironment = { ...systemMqttEnvironment, ...environment };
  const { clock, sleep, random } = world;
  const ledger = new HealthTracker(origin);
  // Whoever watches must not stop what is watched.
  const listeners = new PollListeners((thrown) => ledger.problem(clock(), named(thrown)));
  const delivered: DeliveredMessages = new Map();
  const watch = new UnmappedWatch(LOOK_PACE);
  // What was granted once is granted in the session that the broker keeps.
  let isSubscribed = false;
  // Of all messages since the start.
  let findings: Readonly<Record<string, number>> = {};
  let dataMs: number | undefined;

  // The broker granted subscriptions, or messages were stored.
  const accepted = (startedAtMs: number, problems: readonly StreamError[], outcome?: StoredMessages): void => {
    const nowMs = clock();
    const durationMs = Math.max(0, nowMs - startedAtMs);
    const { bytes = 0, entities = 0, upserts = 0, deletes = 0, findings: noticed = {}, newestMs } = outcome ?? {};
    if (newestMs !== undefined) dataMs = Math.max(newestMs, dataMs ?? newestMs);
    findings = sumCounts([findings, noticed]);
    ledger.good(nowMs, findings, dataMs);
    for (const problem of problems) ledger.problem(nowMs, problem);
    const notice = outcome && watch.tell(nowMs);
    // All are counted, and a few are reported: a thousand messages may have the same mistake.
    const few = [...(notice ? [notice] : []), ...problems].slice(0, MAX_PROBLEMS);
    const event = { kind: 'accepted', origin, startedAtMs, durationMs, bytes, entities, upserts, deletes } as const;
    const visible = upserts + deletes > 0 ? { visibleMs: durationMs } : {};
    listeners.report({ ...event, findings: noticed, problems: few, ...visible });
  };

  async function* follow(connection: MqttConnection, latest: LatestView, signal: AbortSignal): Batches {
    let isUnexpectedTold = false;
    while (!signal.aborted) {
      await connection.ready(signal);
      const messages = connection.take(plan.limitBatchMessages);
      const [first] = messages;
      if (!first) return;
      const outcome = yield* storeMessages(messages, { ...plan, watch, delivered }, connection.acknowledge, latest);
      const topic: string | undefined = isUnexpectedTold ? undefined : outcome.unexpectedTopic;
      isUnexpectedTold ||= topic !== undefined;
      const { shown: url } = plan.address;
      const unexpected = topic === undefined ? [] : [errors.ERR_MQTT_UNEXPECTED_TOPIC({ url, topic })];
      accepted(first.receivedAtMs, [...unexpected, ...outcome.problems], outcome);
    }
  }

  async function* drafts(latest: LatestView, signal: AbortSignal): Batches {
    let failures = 0;
    while (!signal.aborted) {
      const startedAtMs = clock();
      const connection = await openConnection(plan, isSubscribed, world, signal);
      let error: StreamError | undefined;
      if (isStreamError(connection)) error = connection;
      else {
        const liveSinceMs = clock();
        if (!connection.isSessionPresent()) delivered.clear();
        // Asked again the next time for what was not granted.
        isSubscribed = connection.problems.every(({ code }) => code === 'ERR_MQTT_SESSION_LOST');
        accepted(startedAtMs, connection.problems);
        try {
          yield* follow(connection, latest, signal);
          error = connection.error();
        } finally {
          await connection.leave();
        }
        // One that was broken off soon again counts as failed: two who take the session from each other must not race.
        if (clock() - liveSinceMs >= maxMs) failures = 0;
      }
      if (signal.aborted || !error) return;
      failures += 1;
      const waitMs = backoffMs({ attempt: failures, random: random(), baseMs, maxMs });
      const nowMs = clock();
      ledger.bad(nowMs, error);
      ledger.planned(nowMs + waitMs);
      listeners.report({ kind: 'failed', origin, startedAtMs, durationMs: Math.max(0, nowMs - startedAtMs), error });
      await sleep(waitMs, signal).catch(() => undefined);
      ledger.planned(undefined);
    }
  }

  return { origin, drafts, health: ledger.health, schedule: () => ({ kind: 'unknown' }), onPoll: listeners.onPoll };
}

/** Options that have been checked, with everything that they leave open. */
type MqttPlan = ConnectionSettings &
  Omit<MessageStoring, 'watch' | 'delivered'> &
  Pick<Required<MqttLimits & MqttReconnect>, 'baseMs' | 'maxMs' | 'limitBatchMessages'>;

function planMqtt(options: MqttSourceOptions): MqttPlan {
  const { version = 5, emptyPayload = 'ends', clientId, tls = {}, mapping } = options;
  const { address, ...credentials } = readAddress(options.url);
  const { username = credentials.username, password = credentials.password } = options;
  checkOneOf('version', version, [4, 5]);
  checkOneOf('emptyPayload', emptyPayload, ['ends', 'ignored']);
  checkText('clientId', clientId, 1);
  if (username !== undefined) checkText('username', username, 0);
  if (password !== undefined) checkText('password', password, 0);
  if (password !== undefined && username === undefined && version === 4) {
    const expected = 'a username too, which MQTT 3.1.1 requires';
    throw errors.ERR_SOURCE_OPTION({ option: 'password', value: 'alone', expected });
  }
  const reconnect = checkedNumbers(RECONNECT_RANGES, options.reconnect ?? {}, 'reconnect.');
  checkInteger('reconnect.maxMs', reconnect.maxMs, reconnect.baseMs, MAX_INTERVAL_MS);
  const session = { address, tls, version, clientId, username, password };
  return {
    ...checkedNumbers(RANGES, { ...options, ...options.limits }),
    ...reconnect,
    ...session,
    origin: options.origin ?? address.shown,
    mapping,
    topics: checkedTopics(options.topics),
    endsWhenEmpty: emptyPayload === 'ends' && mapping.kind === 'state',
  };
}

function checkedTopics(topics: readonly MqttTopic[]): readonly Required<MqttTopic>[] {
  checkInteger('topics.length', topics.length, 1, LIMIT_TOPICS);
  return topics.map(({ filter, qos = 1 }, index) => {
    checkOneOf(`topics[${index}].qos`, qos, [0, 1]);
    const isRepeated = topics.findIndex((topic) => topic.filter === filter) !== index;
    if (isTopicFilter(filter) && !isRepeated) return { filter, qos };
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
  if (bytes >= leastBytes && bytes <= LONGEST_TEXT_BYTES && !value.includes('\0')) return;
  const expected = `a text of ${leastBytes} to ${LONGEST_TEXT_BYTES} bytes without NUL`;
  throw errors.ERR_SOURCE_OPTION({ option, value: `${bytes} bytes long`, expected });
}

/** Where a broker is, and who asks, by its URL. */
function readAddress(value: string): { address: MqttAddress; username?: string; password?: string } {
  const url = parsedUrl(value);
  const isKnown = url?.protocol === 'mqtt:' || url?.protocol === 'mqtts:';
  if (!url || !isKnown || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    const expected = 'mqtt://HOST or mqtts://HOST with an optional port, and nothing after it';
    throw errors.ERR_SOURCE_OPTION({ option: 'url', value: `"${withoutSecrets(value)}"`, expected });
  }
  const isSecure = url.protocol === 'mqtts:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isSecure ? 8883 : 1883) : Number(url.port);
  return {
    address: { host, port, isSecure, shown: `${url.protocol}//${url.host}` },
    ...(url.username !== '' && { username: unescaped(url.username) }),
    ...(url.password !== '' && { password: unescaped(url.password) }),
  };
}

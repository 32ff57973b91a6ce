/*
 * The kinds of sources. One key of a source says which kind it is, and the other keys are those of that kind.
 *
 *   { mqtt: 'mqtts://broker.example', topics: 'a/+', preset: 'sensorthings-mqtt', session: '1d' } -> { kind: 'mqtt',
 *     url: 'mqtts://broker.example', topics: [{ filter: 'a/+' }], mapping: { preset: ... }, sessionExpirySeconds: 86400 }
 */
import { nearestKey } from '@ldes-live/rdf-stream/errors';
import type { IngestLimits } from '@ldes-live/server';
import type { MqttLimits, MqttTopic } from '@ldes-live/sources';
import { z } from 'zod';
import {
  absoluteUrl,
  duration,
  either,
  expanded,
  integer,
  matching,
  object,
  optional,
  required,
  VARIABLE,
} from './fields.ts';
import { given } from './forms.ts';
import {
  documentsOf,
  EXACTLY_ONE,
  gbfs,
  gtfs,
  gtfsRt,
  limited,
  mappingKeys,
  request,
  sensorThings,
  withMapping,
} from './polled-sources.ts';

const FILTERS = 'a list of topic filters, such as [sensors/+/temperature]';
// `+` stands for a whole level, and `#` for all that is left.
const FILTER = /^(?=[^\0]{1,65535}$)(?:(?:\+|[^+#/]*)\/)*(?:#|\+|[^+#/]*)$/su;
const filter = matching(FILTER, 'a topic filter, such as sensors/+/temperature');
const A_TOPIC = 'a topic filter, or a mapping with its filter';
const topic = object('topic', A_TOPIC, {
  filter: required(filter, 'a filter: `+` stands for a level, `#` for all that follow | sensors/+/temperature'),
  qos: optional(z.literal([0, 1], '0 or 1'), '`1`: the broker keeps a message until it is stored; or `0` | `1` | 0'),
} satisfies Record<keyof MqttTopic, z.ZodType>);
const bareTopic = filter.transform((only): z.output<typeof topic> => ({ filter: only }));
const oneTopic = either({ text: bareTopic, mapping: topic }, A_TOPIC);
const list = z.array(oneTopic).min(1, FILTERS).max(1000, 'no more than 1000 topic filters');
const topics = either(
  { text: bareTopic.transform((only) => [only]), mapping: topic.transform((only) => [only]), list },
  FILTERS,
);

const BROKER = 'the URL of a broker, such as mqtt://localhost:1883 or mqtts://broker.example';
const broker = absoluteUrl(BROKER, ['mqtt', 'mqtts']);
const version = z.literal([4, 5], '4, for MQTT 3.1.1, or 5');
const clientId = matching(/^[^\s\p{C}]{1,1000}$/u, 'a name of visible characters that no other client has');
const username = expanded(/^\P{Cc}*$/u, 'a user name in quotes');
const password = expanded(/^\P{Cc}*$/u, 'a password in quotes');
const emptyPayload = z.literal(['ends', 'ignored'], 'ends or ignored');

const mqtt = object(
  'mqtt',
  'a mapping with mqtt, topics and mapping',
  {
    mqtt: required(broker, 'the URL of the broker: `mqtt://` or `mqtts://`, host and port | mqtts://broker.example'),
    version: optional(version, '`4` for MQTT 3.1.1, or `5` | `5` | 4'),
    clientId: optional(
      clientId,
      'the name of the session, unique at the broker | made of the URL of the stream | city',
    ),
    topics: required(topics, 'a topic filter, a mapping with one, or a list of 1 to 1000 | [sensors/+/temperature]'),
    username: optional(username, `the user name; ${VARIABLE} | that of the URL | reader`),
    password: optional(password, `the password; ${VARIABLE} | that of the URL | "\${AGENCY_KEY}"`),
    session: optional(
      duration('0s', '366d'),
      'how long the broker keeps messages | `24h` | 7d',
      'sessionExpirySeconds',
    ),
    keepAlive: optional(duration('1s', '18h'), 'how often the broker is pinged | `30s` | 10s', 'keepAliveSeconds'),
    emptyPayload: optional(emptyPayload, 'an empty message `ends` the entity, or is `ignored` | `ends` | ignored'),
    origin: request.origin,
    limits: limited<MqttLimits>('mqttLimits', '{ packetBytes: 65536 }', {
      packetBytes: ['limitPacketBytes', integer(1024, 268_435_460), 'the largest packet | `1048576` | 65536'],
      waitingMessages: ['limitWaitingMessages', integer(1, 65_535), 'messages that wait to be stored | `10000` | 1000'],
      waitingBytes: [
        'limitWaitingBytes',
        integer(1024),
        'bytes of messages that wait to be stored | `67108864` | 1048576',
      ],
      batchMessages: ['limitBatchMessages', integer(1, 65_535), 'messages that are stored together | `1000` | 100'],
      topicAliases: ['limitTopicAliases', integer(0, 65_535), 'topic aliases that a broker may set | `1000` | 0'],
      connect: ['limitConnectMs', duration('1ms'), 'time until the broker has granted the subscriptions | `10s` | 5s'],
    }),
    ...mappingKeys,
  },
  EXACTLY_ONE,
).transform(({ mqtt: url, session, keepAlive, ...said }, context) => {
  const sessionExpirySeconds = session && Math.ceil(session / 1000);
  const keepAliveSeconds = keepAlive && Math.ceil(keepAlive / 1000);
  return withMapping(
    { kind: 'mqtt' as const, ...said, url, ...given({ sessionExpirySeconds, keepAliveSeconds }) },
    context,
  );
});

const HASHES = 'a list of hashes of tokens: ldes-live token makes one';
const HASH = 'the SHA-256 of a token in quotes, 64 of 0-9 and a-f: ldes-live token makes one';
export const hashes = z.array(expanded(/^[0-9a-f]{64}$/, HASH), HASHES).min(1, HASHES);
export const HASH_SAMPLE = '["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]';
const shape = matching(/\S/, 'the file of a SHACL shape, such as ./water.shape.ttl');
const context = matching(/\S/, 'the file of the context, such as ./water.context.json');
const contexts = z.record(
  absoluteUrl('the URL of a JSON-LD context'),
  context,
  'a mapping of URLs of JSON-LD contexts to files',
);

const post = object('post', 'a mapping with post and tokens', {
  post: required(z.literal(true, 'true'), '`true`: members arrive by [POST](ingest.md) | true'),
  tokens: required(hashes, `the SHA-256 of each token that may post, in quotes; ${VARIABLE} | ${HASH_SAMPLE}`),
  shape: optional(shape, 'the file of the SHACL shape that members must match | all are accepted | ./water.shape.ttl'),
  contexts: optional(contexts, 'files of JSON-LD contexts by URL | none | { "https://a.example/": ./a.json }'),
  limits: limited<IngestLimits>('postLimits', '{ bytes: 1000000 }', {
    bytes: ['limitBodyBytes', integer(1), 'size of one body, decompressed | `4294967296` | 1000000'],
    members: ['limitBodyMembers', integer(1), 'members of one body | `5000000` | 1000'],
    documentBytes: ['limitDocumentBytes', integer(1), 'size of a JSON-LD body, read as a whole | `16777216` | 1000000'],
    memberCharacters: ['limitMemberCharacters', integer(1), 'characters of one member | `1048576` | 10000'],
    memberQuads: ['limitMemberQuads', integer(1), 'statements of one member | `7500` | 100'],
    depth: ['limitDepth', integer(1), 'how deep JSON is nested | `64` | 10'],
    contextTerms: ['limitContextTerms', integer(1), 'terms of the JSON-LD contexts for one node | `5000` | 500'],
    contextWork: ['limitContextWork', integer(1), 'terms times nodes and inner contexts | `50000` | 1000'],
    nodeValues: ['limitNodeValues', integer(1), 'values within one node of JSON-LD | `30000` | 1000'],
    posts: ['limitPosts', integer(1), 'posts that are read at a time | `8` | 2'],
    waitingPosts: ['limitWaitingPosts', integer(1), 'posts that wait | `1000` | 10'],
    batchMembers: ['limitBatchMembers', integer(1), 'members of one commit | `500` | 100'],
    batchCharacters: ['limitBatchCharacters', integer(1), 'characters of one commit | `2097152` | 1000000'],
    silence: ['limitSilenceMs', duration('1ms'), 'how long a body may send nothing | `30s` | 10s'],
    time: ['limitPostMs', duration('1ms'), 'how long a whole post may take | `1h` | 10m'],
    keys: ['limitKeys', integer(1), 'values of `Idempotency-Key` that are kept | `10000` | 100'],
    keyAge: ['limitKeyAgeMs', duration('1ms', '366d'), 'for how long a value is kept | `24h` | 7d'],
  }),
}).transform(({ post: _, tokens: tokenHashes, ...rest }) => ({ kind: 'post' as const, tokenHashes, ...rest }));

const KINDS = {
  gtfsRt,
  gtfs,
  json: documentsOf('json'),
  ndjson: documentsOf('ndjson'),
  geojson: documentsOf('geojson'),
  csv: documentsOf('csv'),
  xml: documentsOf('xml'),
  gbfs,
  sensorThings,
  mqtt,
  post,
};
const KEYS = Object.keys(KINDS);

/** A source of any kind: one of its keys says which. */
export const sourceSchema = either(KINDS, `a mapping with one of ${KEYS.join(', ')}`, (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const keys = Object.keys(value);
  // The kind that a source says that it is, or that its misspelt key was meant to be.
  return KEYS.find((kind) => keys.includes(kind)) ?? keys.map((key) => nearestKey(key, KEYS)).find(Boolean);
});

export type SourceConfig = z.output<typeof sourceSchema>;

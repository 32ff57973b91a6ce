import type { MqttLimits, MqttTopic } from '@ldes-live/sources';
import { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { integer } from '../integer.ts';
import { renamed } from '../renamed.ts';
import { strictMapping } from '../strict-mapping.ts';
import { checked, expandedText, originSchema } from './http-fields.ts';
import { mappingChoice, mappingShape } from './mapping-choice.ts';

const TEXT = /^[^\p{Cc}]*$/u;

/** The messages of an MQTT broker, as they come. */
export function mqttSchema(environment: Environment) {
  return strictMapping('a mapping with mqtt, topics and mapping', {
    mqtt: brokerUrl(),
    version: z.literal([4, 5], { error: '4, for MQTT 3.1.1, or 5' }).exactOptional(),
    clientId: checked(/^[^\s\p{C}]{1,1000}$/u, 'a name of visible characters that no other client has').exactOptional(),
    topics: topicsSchema(),
    username: expandedText(environment, TEXT, 'a user name in quotes').exactOptional(),
    password: expandedText(environment, TEXT, 'a password in quotes').exactOptional(),
    session: durationSchema({ least: '0s', most: '366d', example: '1d' }).exactOptional(),
    keepAlive: durationSchema({ least: '1s', most: '18h', example: '30s' }).exactOptional(),
    emptyPayload: z.literal(['ends', 'ignored'], { error: 'ends or ignored' }).exactOptional(),
    origin: originSchema().exactOptional(),
    limits: mqttLimitsSchema().exactOptional(),
    ...mappingShape(),
  }).transform(({ mqtt: url, mapping, preset, session, keepAlive, ...rest }, context) => ({
    kind: 'mqtt' as const,
    ...rest,
    url,
    ...(session !== undefined && { sessionExpirySeconds: Math.ceil(session / 1000) }),
    ...(keepAlive !== undefined && { keepAliveSeconds: Math.ceil(keepAlive / 1000) }),
    mapping: mappingChoice({ mapping, preset }, context),
  }));
}

function brokerUrl() {
  const expected = 'the URL of a broker, such as mqtt://localhost:1883 or mqtts://broker.example';
  return z
    .string({ error: expected })
    .refine((value) => URL.canParse(value) && /^mqtts?:$/.test(new URL(value).protocol), expected);
}

function topicsSchema() {
  const expected = 'a list of topic filters, such as [sensors/+/temperature]';
  const topic = strictMapping('a topic filter, or a mapping with its filter', {
    filter: checked(FILTER, 'a topic filter, such as sensors/+/temperature'),
    qos: z.literal([0, 1], { error: '0 or 1' }).exactOptional(),
  } satisfies Record<keyof MqttTopic, z.ZodType>);
  const one = z.preprocess((value) => (typeof value === 'string' ? { filter: value } : value), topic);
  const list = z.array(one, { error: expected }).min(1, expected).max(1000, 'no more than 1000 topic filters');
  return z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), list);
}

/** `+` stands for a whole level, and `#` for all that is left. */
const FILTER = /^(?=[^\0]{1,65535}$)(?:(?:\+|[^+#/]*)\/)*(?:#|\+|[^+#/]*)$/su;

/** What the sources call the limits, and messages with them. */
const NAMES = {
  packetBytes: 'limitPacketBytes',
  waitingMessages: 'limitWaitingMessages',
  waitingBytes: 'limitWaitingBytes',
  batchMessages: 'limitBatchMessages',
  topicAliases: 'limitTopicAliases',
  connect: 'limitConnectMs',
} as const satisfies Record<string, keyof MqttLimits>;

function mqttLimitsSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    packetBytes: integer(1024, 268_435_460).exactOptional(),
    waitingMessages: integer(1, 65_535).exactOptional(),
    waitingBytes: integer(1024).exactOptional(),
    batchMessages: integer(1, 65_535).exactOptional(),
    topicAliases: integer(0, 65_535).exactOptional(),
    connect: durationSchema({ least: '1ms', example: '10s' }).exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform((limits): MqttLimits => renamed(limits, NAMES));
}

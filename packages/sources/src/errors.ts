import { defineErrors, formatDuration } from '@ldes-live/rdf-stream';

type MqttPhase = 'opening' | 'connecting' | 'subscribing' | 'live';
type MqttOversize = { topic: string; bytes: number; limitPacketBytes: number };

const MQTT_PHASES: Readonly<Record<MqttPhase, string>> = {
  opening: 'accept a connection',
  connecting: 'answer the connection',
  subscribing: 'grant the subscriptions',
  live: 'answer a ping',
};

const MAX_PATHS_SHOWN = 50;

// A topic may have 65,535 bytes, and is the publisher's to choose.
function shortTopic(topic: string): string {
  return topic.length > 200 ? `${topic.slice(0, 200)}...` : topic;
}

function someOf(paths: readonly string[]): string {
  const more = paths.length - MAX_PATHS_SHOWN;
  const shown = paths.slice(0, MAX_PATHS_SHOWN).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Where something stands in a mapping: names of keys and positions in lists. */
export type MappingPath = readonly (string | number)[];

/** A mistake of a mapping and its place. */
export interface MappingMistake {
  readonly path: MappingPath;
  readonly message: string;
  /** The line of the file, 1 for the first, where that is known. */
  readonly line?: number;
}

/** Why a record, or what a document says of itself, cannot be mapped. */
export interface MappingRecordProblem {
  /** Which record of the document it is, 1 for the first; 0 for the document itself. */
  readonly record: number;
  /** Where in the mapping the value is asked for, such as `properties[3].path`. */
  readonly mapping: string;
  /** The line of the mapping, where that is known. */
  readonly line?: number;
  /** The path that leads to the value; empty where there is none. */
  readonly path: string;
  /** The beginning of the value at fault, as JSON. */
  readonly sample: string;
  /** What was expected of it. */
  readonly reason: string;
}

/** A place in a mapping as people read it, such as `properties[3].path`. */
export function mappingPathText(path: MappingPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}

function mistakeText({ path, message, line }: MappingMistake): string {
  const place = path.length === 0 ? 'the mapping' : mappingPathText(path);
  return `${line === undefined ? place : `line ${line}, ${place}`}: ${message}`;
}

function recordProblemText({ record, mapping, line, path, sample, reason }: MappingRecordProblem): string {
  const what = record === 0 ? 'The document' : `Record ${record}`;
  const where = line === undefined ? mapping : `line ${line} of the mapping, ${mapping}`;
  return `${what} cannot be mapped (${where}${path === '' ? '' : `, "${path}"`}): ${reason}; found ${sample}`;
}

/** `2026-11-29 10:05:00 UTC` of `2026-11-29T10:05:00.000Z`. */
function readableTime(iso: string): string {
  return iso.replace(/^([\d-]{10})T([\d:]{8})(?:\.\d+)?Z$/, '$1 $2 UTC');
}

/** The errors of this package. */
export const errors = defineErrors({
  ERR_FEED_EMPTY: (_: Record<string, never>) =>
    'The feed is empty (0 bytes). A feed without entities also has a header: check the URL.',
  ERR_FEED_MALFORMED: ({ offset, reason, start }: { offset: number; reason: string; start: string }) =>
    `The body is not a complete GTFS-Realtime message: ${reason} at byte ${offset}. It starts with "${start}". ` +
    'Check that the URL returns Protocol Buffers, and that the download is complete.',
  ERR_FEED_HEADER_MISSING: ({ lengthBytes }: { lengthBytes: number }) =>
    `The body of ${lengthBytes} bytes has no GTFS-Realtime header. Check that the URL is that of a GTFS-Realtime feed.`,
  ERR_FEED_VERSION: ({ version }: { version: string }) =>
    `The feed has the unknown GTFS-Realtime version "${version}". Give a feed of version 1.0 or 2.0.`,
  ERR_FEED_TOO_DEEP: ({ offset, limitDepth }: { offset: number; limitDepth: number }) =>
    `The feed is nested deeper than ${limitDepth} levels at byte ${offset}. If the feed is correct, raise limitDepth.`,
  ERR_FEED_TOO_MANY_ENTITIES: ({ limitEntities }: { limitEntities: number }) =>
    `The feed has more than ${limitEntities} entities. If the feed is correct, raise limitEntities.`,
  ERR_FEED_EXTRA_TOO_LARGE: ({ limitEntityBytes }: { limitEntityBytes: number }) =>
    `The feed has more than ${limitEntityBytes} bytes besides its entities. If the feed is correct, raise limitEntityBytes.`,
  ERR_KEY_FIELD: ({ message, field }: { message: string; field: string }) =>
    `"${field}" is not a text or number field of ${message}. Give a field name of the specification, or the path of an unknown field, such as 1001.1.`,
  ERR_IRI_TEMPLATE: ({ name, template }: { name: string; template: string }) =>
    `The template "${template}" of ${name} does not make one absolute IRI for each key. Use {+base} and the variables that specs/gtfs-realtime.md lists.`,
  ERR_FEED_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `${url} did not answer (${reason}). Check the host, the port and the network. The source tries again.`,
  ERR_FEED_TIMEOUT: ({ url, phase, limitMs }: { url: string; phase: 'headers' | 'body'; limitMs: number }) =>
    `${url} did not send its ${phase} within ${formatDuration(limitMs)}. If the server is slow, raise ${phase === 'headers' ? 'limitHeadersMs' : 'limitBodyMs'}. The source tries again.`,
  ERR_FEED_REDIRECTS: ({ url, limitRedirects }: { url: string; limitRedirects: number }) =>
    `${url} redirects more than ${limitRedirects} times, perhaps in a loop. Give the URL of the final document.`,
  ERR_FEED_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered with status ${status} instead of 200. Check the URL and, for 401 or 403, the credentials. The source tries again.`,
  ERR_FEED_TOO_LARGE: ({ url, limitBytes }: { url: string; limitBytes: number }) =>
    `The decompressed body of ${url} has more than ${limitBytes} bytes. If the data are correct, raise limitBytes.`,
  ERR_FEED_CUT: ({ url, received, reason }: { url: string; received: number; reason: string }) =>
    `The body of ${url} is incomplete: it ended after ${received} bytes (${reason}). The source tries again. If the error persists, ask the producer.`,
  ERR_FEED_SHRUNK: ({ gone, living, limitGoneShare }: { gone: number; living: number; limitGoneShare: number }) =>
    `The feed lost ${gone} of ${living} entities in one poll, more than the share ${limitGoneShare}. They stay until a later, different poll confirms it, or until the feed has stayed the same for 10 minutes. If the feed is correct, raise limitGoneShare.`,
  ERR_FEED_TIME_WENT_BACK: ({ headerTime, newest }: { headerTime: string; newest: string }) =>
    `The time of the feed went back from ${readableTime(newest)} to ${readableTime(headerTime)}. The newer state stays until three polls in a row continue from the earlier time. If it happens often, ask the producer whether two servers answer at this URL.`,
  ERR_PAGES_CYCLE: ({ url }: { url: string }) =>
    `A page links back to ${url}, which was already read in this poll. Ask the producer, or read one page only.`,
  ERR_PAGES_TOO_MANY: ({ url, limitPages }: { url: string; limitPages: number }) =>
    `${url} has more than ${limitPages} pages, and entities on the other pages would seem deleted. Request larger pages, or raise limitPages.`,
  ERR_PAGES_LINK: ({ url }: { url: string }) =>
    `The page ${url} has a next page that is not an http or https URL. Check the path of the next page, or ask the producer.`,
  ERR_RECORDS_UNREADABLE: ({ records, first }: { records: number; first: string }) =>
    `All ${records} records failed to map, so the last state stays. Correct the mapping. The first record: ${first}`,
  ERR_TIMETABLE_MALFORMED: ({ file, reason }: { file: string; reason: string }) =>
    `The timetable cannot be read (${file}: ${reason}), so the last state stays. Check that the URL returns a static GTFS zip with the files of include. The source tries again.`,
  ERR_TIMETABLE_TOO_LARGE: ({ what, limit, most }: { what: string; limit: string; most: number }) =>
    `The timetable is too large: ${what} than ${most}. If the timetable is correct, raise ${limit}.`,
  ERR_TIMETABLE_ROW: ({ file, row, reason }: { file: string; row: string; reason: string }) =>
    `In ${file}, ${row} is ignored: ${reason}. The other rows are published. Ask the producer to correct it.`,
  ERR_GBFS_FEED: ({ url, feed, found }: { url: string; feed: string; found: string }) =>
    `The discovery document ${url} has no feed "${feed}". It has ${found}. Give one of them, or check the language.`,
  ERR_FEED_UNEXPECTED: ({ reason }: { reason: string }) =>
    `The poll failed unexpectedly (${reason}). Please report it with the cause of this error. The source tries again.`,
  ERR_MQTT_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `The connection to ${url} failed (${reason}). Check the host, the port, the network and, for mqtts, the certificates. The source tries again.`,
  ERR_MQTT_TIMEOUT: ({ url, phase, limitMs }: { url: string; phase: MqttPhase; limitMs: number }) =>
    `${url} did not ${MQTT_PHASES[phase]} within ${formatDuration(limitMs)}. Check the broker. If it is slow, raise ${phase === 'live' ? 'keepAliveSeconds' : 'limitConnectMs'}. The source tries again.`,
  ERR_MQTT_REFUSED: ({ url, reason }: { url: string; returnCode: number; reason: string }) =>
    `${url} refused the connection: ${reason}. Check version, clientId, username and password. The source tries again.`,
  ERR_MQTT_DISCONNECTED: ({ url, reason }: { url: string; reason: string }) =>
    `${url} ended the connection: ${reason}. The source tries again. If it happens often, check that no other client uses the same clientId.`,
  ERR_MQTT_PROTOCOL: ({ url, version, reason }: { url: string; version: 4 | 5; reason: string }) =>
    `${url} violates MQTT ${version === 4 ? '3.1.1' : '5'}: it sent ${reason}. Check that it is a broker of that version, or give another version. The source tries again.`,
  ERR_MQTT_SUBSCRIPTION_REFUSED: ({ url, filter, reason }: { url: string; filter: string; reason: string }) =>
    `${url} refused the subscription to "${filter}": ${reason}. Ask its operator for the right to read it, or remove the filter.`,
  ERR_MQTT_QOS_LOWERED: ({ url, filter }: { url: string; filter: string }) =>
    `${url} granted "${filter}" at QoS 0 only, so messages are lost while the connection is down. Ask its operator for QoS 1, or give qos 0 to accept it.`,
  ERR_MQTT_SESSION_LOST: ({ url }: { url: string }) =>
    `${url} lost the session, and with it the messages for this client. Configure the broker to keep sessions on disk, and for long enough.`,
  ERR_MQTT_UNEXPECTED_TOPIC: ({ url, topic }: { url: string; topic: string }) =>
    `${url} delivers messages of the topic "${shortTopic(topic)}" without a subscription. They are acknowledged and ignored. Give a new clientId that no other client uses, also after you remove topics.`,
  ERR_MQTT_MESSAGE: ({ topic, reason }: { topic: string; code: string; reason: string }) =>
    `A message of the topic "${shortTopic(topic)}" could not be published completely: ${reason} It was acknowledged, so that the next messages can arrive. Correct the mapping, or ask the publisher.`,
  ERR_MQTT_MESSAGE_TOO_LARGE: ({ topic, bytes, limitPacketBytes }: MqttOversize) =>
    `A message of the topic "${shortTopic(topic)}" has ${bytes} bytes, more than ${limitPacketBytes}. It was acknowledged and ignored. If the message is correct, raise limitPacketBytes.`,
  ERR_MAPPING_INVALID: ({ problems, more }: { problems: readonly MappingMistake[]; more?: true }) =>
    `The mapping has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}: ${problems.map(mistakeText).join('; ')}. ${more ? 'More mistakes may appear when these are corrected. ' : ''}See specs/mappings.md for the keys of a mapping.`,
  ERR_MAPPING_RECORD: (problem: MappingRecordProblem) =>
    `${recordProblemText(problem)}. It is ignored, and the others are published. If the data are correct, correct the mapping.`,
  ERR_MAPPING_UNMAPPED: ({ paths }: { paths: readonly string[] }) =>
    `The mapping lacks ${paths.length === 1 ? 'a field' : `${paths.length} fields`} of the source, which ${paths.length === 1 ? 'is' : 'are'} not published: ${someOf(paths)}. Map them, or list them in leftOut.`,
  ERR_MAPPING_RECORDS: ({ records, reason }: { records: string; reason?: string }) =>
    `The document has no records at "${records}"${reason === undefined ? '' : ` (${reason})`}. Check that the source returned data and not an error message, or correct "records" of the mapping.`,
  ERR_DOCUMENT_MALFORMED: ({
    format,
    reason,
    line,
    column,
  }: {
    format: string;
    reason: string;
    line: number;
    column?: number;
  }) =>
    `The document is not complete ${format}: ${reason}, at line ${line}${column === undefined ? '' : `, column ${column}`}. Check that the URL returns this format, and that the download is complete.`,
  ERR_DOCUMENT_CHARSET: ({ charset, reason }: { charset: string; reason: string }) =>
    `The document cannot be read as "${charset}" (${reason}). Give its encoding as charset, such as utf-8 or iso-8859-1.`,
  ERR_DOCUMENT_TOO_DEEP: ({ limitDepth, line }: { limitDepth: number; line: number }) =>
    `The document is nested deeper than ${limitDepth} levels at line ${line}. If the document is correct, raise limitDepth.`,
  ERR_DOCUMENT_TOO_MANY: ({ limitRecords, line }: { limitRecords: number; line?: number }) =>
    `The document has more than ${limitRecords} records${line === undefined ? '' : ` in one place, at line ${line}`}. If the document is correct, raise limitRecords.`,
  ERR_DOCUMENT_TOO_MANY_VALUES: ({ limitValues, line }: { limitValues: number; line: number }) =>
    `The document has more than ${limitValues} values, at line ${line}. Request fewer fields or records. If the document is correct and memory allows, raise limitValues.`,
  ERR_DOCUMENT_TEXT_TOO_LONG: ({ limitTextBytes, line }: { limitTextBytes: number; line: number }) =>
    `A text of the document has more than ${limitTextBytes} bytes, at line ${line}. If the document is correct, raise limitTextBytes.`,
  ERR_DOCUMENT_DOCTYPE: ({ line }: { line: number }) =>
    `The document has a DOCTYPE (line ${line}), which is not allowed: its entities could grow without limit. Ask the producer for a document without it.`,
  ERR_PRESET_UNKNOWN: ({ preset, known }: { preset: string; known: readonly string[] }) =>
    `Unknown preset "${preset}". Give one of ${known.join(', ')}.`,
  ERR_SOURCE_OPTION: ({ option, value, expected }: { option: string; value: string; expected: string }) =>
    `The option ${option} is ${value}: give ${expected}.`,
});

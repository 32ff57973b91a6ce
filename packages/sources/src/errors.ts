import { defineErrors } from '@ldes-live/rdf-stream';

type MqttPhase = 'opening' | 'connecting' | 'subscribing' | 'live';
type MqttOversize = { topic: string; bytes: number; limitPacketBytes: number };

const MQTT_PHASES: Readonly<Record<MqttPhase, string>> = {
  opening: 'accept a connection',
  connecting: 'answer the connection',
  subscribing: 'grant the subscriptions',
  live: 'give a sign of life',
};

const MOST_PATHS_SHOWN = 50;

// A topic may have 65,535 bytes, and is the publisher's to choose.
function shortTopic(topic: string): string {
  return topic.length > 200 ? `${topic.slice(0, 200)}...` : topic;
}

function someOf(paths: readonly string[]): string {
  const more = paths.length - MOST_PATHS_SHOWN;
  const shown = paths.slice(0, MOST_PATHS_SHOWN).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Where something stands in a mapping: names of keys and positions in lists. */
export type MappingPath = readonly (string | number)[];

/** What is wrong with a mapping, and where. */
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

/** The errors of this package. */
export const errors = defineErrors({
  ERR_FEED_EMPTY: (_: Record<string, never>) =>
    'The feed is 0 bytes long, which is no message: even a feed without entities has a header. Check the URL.',
  ERR_FEED_MALFORMED: ({ offset, reason, start }: { offset: number; reason: string; start: string }) =>
    `The body is not a whole GTFS-Realtime message: ${reason} at byte ${offset}; it starts with "${start}". ` +
    'Check that the URL answers the Protocol Buffers form and that nothing cuts the download.',
  ERR_FEED_HEADER_MISSING: ({ lengthBytes }: { lengthBytes: number }) =>
    `The body of ${lengthBytes} bytes has no GTFS-Realtime header: check that the URL leads to a GTFS-Realtime feed.`,
  ERR_FEED_VERSION: ({ version }: { version: string }) =>
    `The feed says it is GTFS-Realtime version "${version}": versions 1.0 and 2.0 are understood.`,
  ERR_FEED_TOO_DEEP: ({ offset, limitDepth }: { offset: number; limitDepth: number }) =>
    `The feed nests deeper than ${limitDepth} at byte ${offset}: raise limitDepth if the producer means it.`,
  ERR_FEED_TOO_MANY_ENTITIES: ({ limitEntities }: { limitEntities: number }) =>
    `The feed has more than ${limitEntities} entities: raise limitEntities if the producer means it.`,
  ERR_KEY_FIELD: ({ message, field }: { message: string; field: string }) =>
    `"${field}" is no field of ${message} that a key can hold: give a field name of the specification, or the path of an unknown field such as 1001.1.`,
  ERR_IRI_TEMPLATE: ({ name, template }: { name: string; template: string }) =>
    `The template "${template}" of ${name} does not make one absolute IRI per key: use {+base} and the variables that specs/gtfs-realtime.md lists for it.`,
  ERR_FEED_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `No answer from ${url} (${reason}): check the host, the port and the network; it is tried again.`,
  ERR_FEED_TIMEOUT: ({ url, phase, limitMs }: { url: string; phase: 'headers' | 'body'; limitMs: number }) =>
    `${url} did not send its ${phase} within ${limitMs} ms: raise ${phase === 'headers' ? 'limitHeadersMs' : 'limitBodyMs'} if the server is known to be slow; it is tried again.`,
  ERR_FEED_REDIRECTS: ({ url, limitRedirects }: { url: string; limitRedirects: number }) =>
    `${url} redirects more than ${limitRedirects} times, perhaps in a circle: give the address that it should end at.`,
  ERR_FEED_STATUS: ({ url, status }: { url: string; status: number; retryAfterMs?: number }) =>
    `${url} answered with status ${status} instead of 200: check the address and, for 401 or 403, the keys; it is tried again.`,
  ERR_FEED_TOO_LARGE: ({ url, limitBytes }: { url: string; limitBytes: number }) =>
    `The body of ${url} is larger than ${limitBytes} bytes when decompressed: raise limitBytes if the producer means it.`,
  ERR_FEED_CUT: ({ url, received, reason }: { url: string; received: number; reason: string }) =>
    `The body of ${url} is not whole: it ended after ${received} bytes (${reason}). It is asked for again; if this stays, ask the producer.`,
  ERR_FEED_SHRUNK: ({ gone, living, limitGoneShare }: { gone: number; living: number; limitGoneShare: number }) =>
    `The feed lost ${gone} of ${living} entities in one poll, more than a share of ${limitGoneShare}: they stay until a later poll with other bytes confirms it, or the same bytes, or nothing at all, have stood for 10 minutes. Raise limitGoneShare if the producer means it.`,
  ERR_FEED_TIME_WENT_BACK: ({ headerTime, newest }: { headerTime: string; newest: string }) =>
    `The feed says that it is of ${headerTime}, before ${newest} as it said last: the newer state stays until three polls in a row go on from the earlier time. If this comes often, ask the producer whether two machines answer at this address.`,
  ERR_PAGES_CYCLE: ({ url }: { url: string }) =>
    `A page leads back to ${url}, which was read before in the same poll: ask the producer, or read one page only.`,
  ERR_PAGES_TOO_MANY: ({ url, limitPages }: { url: string; limitPages: number }) =>
    `${url} goes on after ${limitPages} pages, and what is on the others would look as if it had ended: ask for larger pages, or raise limitPages.`,
  ERR_PAGES_LINK: ({ url }: { url: string }) =>
    `The page ${url} names a next page whose address cannot be read as a URL of http or https: check the path of the next page, or ask the producer.`,
  ERR_RECORDS_UNREADABLE: ({ records, first }: { records: number; first: string }) =>
    `None of the ${records} records could be mapped, so the last state stays. The first of them: ${first}`,
  ERR_TIMETABLE_MALFORMED: ({ file, reason }: { file: string; reason: string }) =>
    `The timetable cannot be read, and the last state stays: of ${file}, ${reason}. Check that the URL leads to the zip of a static GTFS which has what include names; it is tried again.`,
  ERR_TIMETABLE_TOO_LARGE: ({ what, limit, most }: { what: string; limit: string; most: number }) =>
    `Of the timetable, ${what} than ${most}: raise ${limit} if the producer means it.`,
  ERR_TIMETABLE_ROW: ({ file, row, reason }: { file: string; row: string; reason: string }) =>
    `In ${file}, ${row} is left out: ${reason}. The others are published; ask the producer to correct it.`,
  ERR_GBFS_FEED: ({ url, feed, found }: { url: string; feed: string; found: string }) =>
    `The discovery document ${url} has no feed "${feed}": it has ${found}. Give one of them, or check the language.`,
  ERR_FEED_UNEXPECTED: ({ reason }: { reason: string }) =>
    `The poll failed for a reason that nobody foresaw (${reason}): its cause has more; please report it. It is tried again.`,
  ERR_MQTT_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `No connection to ${url} (${reason}): check the host, the port, the network and, for mqtts, the certificates; it is tried again.`,
  ERR_MQTT_TIMEOUT: ({ url, phase, limitMs }: { url: string; phase: MqttPhase; limitMs: number }) =>
    `${url} did not ${MQTT_PHASES[phase]} within ${limitMs} ms: check the broker, or raise ${phase === 'live' ? 'keepAliveSeconds' : 'limitConnectMs'} if it is known to be slow; it is tried again.`,
  ERR_MQTT_REFUSED: ({ url, reason }: { url: string; returnCode: number; reason: string }) =>
    `${url} refused the connection: ${reason}. Check version, clientId, username and password; it is tried again.`,
  ERR_MQTT_DISCONNECTED: ({ url, reason }: { url: string; reason: string }) =>
    `${url} ended the connection: ${reason}. It is tried again; if this comes often, check that no other client has the same clientId.`,
  ERR_MQTT_PROTOCOL: ({ url, version, reason }: { url: string; version: 4 | 5; reason: string }) =>
    `${url} does not keep to MQTT ${version === 4 ? '3.1.1' : '5'}: it sent ${reason}. Check that a broker of that version answers there, or give another version; it is tried again.`,
  ERR_MQTT_SUBSCRIPTION_REFUSED: ({ url, filter, reason }: { url: string; filter: string; reason: string }) =>
    `${url} refused the subscription to "${filter}": ${reason}. Ask its operator for the right to read it, or leave it out.`,
  ERR_MQTT_QOS_LOWERED: ({ url, filter }: { url: string; filter: string }) =>
    `${url} granted "${filter}" at QoS 0 only, so that messages are lost whenever the connection is: ask its operator for QoS 1, or give qos 0 if that is meant.`,
  ERR_MQTT_SESSION_LOST: ({ url }: { url: string }) =>
    `${url} has forgotten the session: messages that it kept for this client are lost. Let the broker keep its sessions on disk, and for long enough.`,
  ERR_MQTT_UNEXPECTED_TOPIC: ({ url, topic }: { url: string; topic: string }) =>
    `${url} delivers messages of the topic "${shortTopic(topic)}", which was not asked for: they are acknowledged and left out, so that nobody gets them. Give a clientId that no other client has, also after topics were taken out.`,
  ERR_MQTT_MESSAGE: ({ topic, reason }: { topic: string; code: string; reason: string }) =>
    `A message of the topic "${shortTopic(topic)}" could not be published whole: ${reason} It was acknowledged, so that the next ones can come.`,
  ERR_MQTT_MESSAGE_TOO_LARGE: ({ topic, bytes, limitPacketBytes }: MqttOversize) =>
    `A message of the topic "${shortTopic(topic)}" has ${bytes} bytes, more than ${limitPacketBytes}: it was acknowledged and left out; raise limitPacketBytes if the publisher means it.`,
  ERR_MAPPING_INVALID: ({ problems, more }: { problems: readonly MappingMistake[]; more?: true }) =>
    `The mapping has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}: ${problems.map(mistakeText).join('; ')}. ${more ? 'Others may show once the form is right. ' : ''}See specs/mappings.md for what a mapping can hold.`,
  ERR_MAPPING_RECORD: (problem: MappingRecordProblem) =>
    `${recordProblemText(problem)}. It is left out, and the others are published; correct the mapping if the source means it.`,
  ERR_MAPPING_UNMAPPED: ({ paths }: { paths: readonly string[] }) =>
    `The mapping says nothing of ${paths.length === 1 ? 'a field' : `${paths.length} fields`} of the source, which ${paths.length === 1 ? 'is' : 'are'} not published: ${someOf(paths)}. Map them, or name them in leftOut.`,
  ERR_MAPPING_RECORDS: ({ records, reason }: { records: string; reason?: string }) =>
    `The document has nothing at "${records}"${reason === undefined ? '' : ` (${reason})`}, where the records of the mapping are: check that the source answered with data and not with an error of its own, or correct "records".`,
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
    `The document is no whole ${format}: ${reason}, at line ${line}${column === undefined ? '' : `, column ${column}`}. Check that the URL answers this format and that nothing cuts the download.`,
  ERR_DOCUMENT_CHARSET: ({ charset, reason }: { charset: string; reason: string }) =>
    `The document cannot be read as "${charset}" (${reason}): give the encoding that it is in, by a label such as utf-8 or iso-8859-1, as charset.`,
  ERR_DOCUMENT_TOO_DEEP: ({ limitDepth, line }: { limitDepth: number; line: number }) =>
    `The document nests deeper than ${limitDepth} at line ${line}: raise limitDepth if the producer means it.`,
  ERR_DOCUMENT_TOO_MANY: ({ limitRecords, line }: { limitRecords: number; line: number }) =>
    `The document has more than ${limitRecords} records in one place, at line ${line}: raise limitRecords if the producer means it.`,
  ERR_DOCUMENT_DOCTYPE: ({ line }: { line: number }) =>
    `The document has a DOCTYPE, which ends at line ${line}; it is refused, since entities can grow without bound: ask the producer for one without.`,
  ERR_PRESET_UNKNOWN: ({ preset, known }: { preset: string; known: readonly string[] }) =>
    `There is no preset "${preset}": give one of ${known.join(', ')}.`,
  ERR_SOURCE_OPTION: ({ option, value, expected }: { option: string; value: string; expected: string }) =>
    `The option ${option} is ${value}: give ${expected}.`,
});

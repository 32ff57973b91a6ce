/*
 * All limits of what comes from outside, as data: specs/limits.md is made of it. Defaults come from the code that has them.
 *
 *   { input: 'post', limit: 'limitMemberQuads', default: 10000, past: 'ERR_POST_MEMBER_TOO_LARGE', rule: 'ING-40',
 *     worst: 'post of many statements' }
 */
import { DEFAULT_LIMITS as CLIENT } from '@ldes-live/client';
import { LIMIT_CONTEXTS } from '../../packages/client/src/http/http-client.ts';
import { DEFAULT_LIMITS as QUERIES } from '../../packages/query/src/http/limits.ts';
import { LIMIT_IRI_CHARACTERS } from '../../packages/server/src/ingest/rdf-members.ts';
import { completeOptions, ingestLimits, pushSettings } from '../../packages/server/src/options.ts';
import { documentLimits } from '../../packages/sources/src/documents/document.ts';
import { DEFAULT_LIMIT_BYTES, DEFAULT_LIMIT_PAGES } from '../../packages/sources/src/documents/http-source.ts';
import { DECODE_RANGES, LIMIT_ENTITY_MESSAGES } from '../../packages/sources/src/gtfs/decode-limits.ts';
import { RANGES as TIMETABLE } from '../../packages/sources/src/gtfs/timetable-source.ts';
import { RANGES as MQTT } from '../../packages/sources/src/mqtt/source.ts';
import { fetchLimits } from '../../packages/sources/src/polling/fetch.ts';
import type { Worst } from './worst.ts';
import { worstPosts } from './worst-posts.ts';
import { worstPublishers } from './worst-publishers.ts';
import { worstReaders } from './worst-readers.ts';
import { worstSources } from './worst-sources.ts';

/** What is measured, by name. */
export const WORST = { ...worstPosts, ...worstSources, ...worstReaders, ...worstPublishers } satisfies Record<
  string,
  Worst
>;
type WorstName = keyof typeof WORST;

export interface Limit {
  readonly input: string;
  /** Its name in the code and in messages. */
  readonly limit: string;
  readonly default: number;
  /** A code of errors.md, or what happens. */
  readonly past: string;
  /** A requirement, or the page of the specification. */
  readonly rule: string;
  /** What is measured of it; several limits may share it. */
  readonly worst?: WorstName;
}

type Row<Name extends string> = readonly [limit: Name, past: string, rule: string, worst?: WorstName];

/** Limits of one input, with defaults by their names. */
function limitsOf<Name extends string>(
  input: string,
  defaults: Readonly<Record<Name, number>>,
  rows: readonly Row<Name>[],
): Limit[] {
  return rows.map(([limit, past, rule, worst]) => ({
    input,
    limit,
    default: defaults[limit],
    past,
    rule,
    ...(worst && { worst }),
  }));
}

function firsts<Name extends string>(
  ranges: Readonly<Record<Name, readonly [number, ...unknown[]]>>,
): Record<Name, number> {
  const entries = Object.entries(ranges) as [Name, readonly [number]][];
  return Object.fromEntries(entries.map(([name, [value]]) => [name, value])) as Record<Name, number>;
}

const { limitKeptBytes, limitTextBytes, limitPendingBuilds, limitUrlBytes } = completeOptions({
  publicUrl: 'http://a.example/',
  streams: [],
});

export const LIMITS: readonly Limit[] = [
  ...limitsOf('post', { ...ingestLimits(), 'characters of an IRI': LIMIT_IRI_CHARACTERS }, [
    ['limitBodyBytes', 'ERR_POST_TOO_LARGE', 'ING-40', 'post of small members'],
    ['limitBodyMembers', 'ERR_POST_TOO_LARGE', 'ING-40', 'post of small members'],
    ['limitDocumentBytes', 'ERR_POST_TOO_LARGE', 'ING-40', 'post of a JSON-LD document'],
    ['limitMemberCharacters', 'ERR_POST_MEMBER_TOO_LARGE', 'ING-40', 'post of large members'],
    ['limitMemberQuads', 'ERR_POST_MEMBER_TOO_LARGE', 'ING-40', 'post of alike blank nodes'],
    ['characters of an IRI', 'ERR_POST_MEMBER_TOO_LARGE', 'ING-40'],
    ['limitDepth', 'ERR_POST_TOO_DEEP', 'ING-40', 'post of a JSON-LD node'],
    ['limitNodeValues', 'ERR_POST_MEMBER_TOO_LARGE', 'ING-40', 'post of a JSON-LD node of ignored values'],
    ['limitContextTerms', 'ERR_POST_CONTEXT_TOO_LARGE', 'ING-40', 'post of JSON-LD contexts'],
    ['limitContextWork', 'ERR_POST_CONTEXT_TOO_LARGE', 'ING-40', 'post of JSON-LD contexts'],
    ['limitPosts', 'waits', 'ING-42', 'posts that wait'],
    ['limitWaitingPosts', 'ERR_POSTS_WAITING', 'ING-42', 'posts that wait'],
    ['limitBatchMembers', 'the next commit', 'ING-28', 'post of small members'],
    ['limitBatchCharacters', 'the next commit', 'ING-28', 'post of large members'],
    ['limitSilenceMs', 'ERR_POST_LATE', 'ING-43'],
    ['limitPostMs', 'ERR_POST_LATE', 'ING-43'],
    ['limitKeys', 'the oldest is forgotten', 'ING-23'],
    ['limitKeyAgeMs', 'it is forgotten', 'ING-23'],
  ]),
  ...limitsOf(
    'feed of GTFS-Realtime',
    { ...fetchLimits({}), ...firsts(DECODE_RANGES), 'messages of an entity': LIMIT_ENTITY_MESSAGES },
    [
      ['limitBytes', 'ERR_FEED_TOO_LARGE', 'gtfs-realtime.md', 'feed of many entities'],
      ['limitEntities', 'ERR_FEED_TOO_MANY_ENTITIES', 'gtfs-realtime.md', 'feed of many entities'],
      ['limitEntityBytes', 'the entity is omitted', 'gtfs-realtime.md', 'feed of large entities'],
      ['messages of an entity', 'the entity is omitted', 'GTFS-45', 'feed of large entities'],
      ['limitDepth', 'ERR_FEED_TOO_DEEP', 'gtfs-realtime.md', 'feed of large entities'],
      ['limitUnknownNames', 'counted as other', 'gtfs-realtime.md'],
      ['limitHeadersMs', 'ERR_FEED_TIMEOUT', 'gtfs-realtime.md'],
      ['limitBodyMs', 'ERR_FEED_TIMEOUT', 'gtfs-realtime.md'],
      ['limitRedirects', 'ERR_FEED_REDIRECTS', 'gtfs-realtime.md'],
    ],
  ),
  ...limitsOf('timetable of GTFS', firsts(TIMETABLE), [
    ['limitFiles', 'ERR_TIMETABLE_TOO_LARGE', 'timetable.md', 'timetable'],
    ['limitUnpackedBytes', 'ERR_TIMETABLE_TOO_LARGE', 'timetable.md', 'timetable'],
    ['limitRows', 'ERR_TIMETABLE_TOO_LARGE', 'timetable.md', 'timetable'],
    ['limitTrips', 'ERR_TIMETABLE_TOO_LARGE', 'timetable.md'],
    ['limitPoints', 'ERR_TIMETABLE_TOO_LARGE', 'timetable.md'],
    ['limitShapePoints', 'the shape is omitted', 'timetable.md'],
  ]),
  ...(['JSON', 'NDJSON', 'CSV', 'XML'] as const).flatMap((format) =>
    limitsOf(`document of ${format}`, { ...documentLimits(), limitBytes: DEFAULT_LIMIT_BYTES }, [
      ['limitBytes', 'ERR_FEED_TOO_LARGE', 'MAP-81', `${format} document`],
      ['limitRecords', 'ERR_DOCUMENT_TOO_MANY', 'MAP-81', `${format} document`],
      ['limitValues', 'ERR_DOCUMENT_TOO_MANY_VALUES', 'MAP-81', `${format} document`],
      ['limitTextBytes', 'ERR_DOCUMENT_TEXT_TOO_LONG', 'MAP-81', 'JSON text'],
      ['limitDepth', 'ERR_DOCUMENT_TOO_DEEP', 'MAP-81', 'JSON text'],
    ]),
  ),
  ...limitsOf('pages of documents', { limitPages: DEFAULT_LIMIT_PAGES }, [
    ['limitPages', 'ERR_PAGES_TOO_MANY', 'sources.md'],
  ]),
  ...limitsOf('messages of MQTT', firsts(MQTT), [
    ['limitPacketBytes', 'ERR_MQTT_MESSAGE_TOO_LARGE', 'MQTT-11', 'large MQTT messages'],
    ['limitWaitingMessages', 'nothing more is read', 'MQTT-13', 'MQTT messages'],
    ['limitWaitingBytes', 'nothing more is read', 'MQTT-13', 'MQTT messages'],
    ['limitBatchMessages', 'the next commit', 'MQTT-13', 'MQTT messages'],
    ['limitTopicAliases', 'ERR_MQTT_PROTOCOL', 'mqtt.md'],
    ['limitConnectMs', 'ERR_MQTT_TIMEOUT', 'mqtt.md'],
  ]),
  ...limitsOf('requests', { limitKeptBytes, limitTextBytes, limitPendingBuilds, limitUrlBytes }, [
    ['limitUrlBytes', 'ERR_URL_TOO_LONG', 'DOC-45', 'long URL'],
    ['limitPendingBuilds', 'ERR_OVERLOADED', 'DOC-44', 'latest state'],
    ['limitKeptBytes', 'the least used leaves', 'documents.md', 'latest state'],
    ['limitTextBytes', 'the least used leaves', 'documents.md', 'latest state'],
  ]),
  ...limitsOf('push', pushSettings(), [
    ['limitNarrowing', 'ERR_NARROWING_LIMIT', 'PUSH-26', 'filters of a reader'],
    ['limitConnections', 'ERR_CONNECTIONS_FULL', 'PUSH-27', 'open connections'],
    ['limitConnectionsPerAddress', 'ERR_CONNECTIONS_ADDRESS', 'PUSH-27'],
    ['limitAcceptsPerSecond', 'waits', 'PUSH-27', 'open connections'],
    ['limitWaitingAccepts', 'ERR_ACCEPTS_WAITING', 'PUSH-27', 'open connections'],
    ['limitQueueBytes', 'the newest state', 'PUSH-59', 'slow readers'],
    ['limitFrameBytes', 'the oldest leaves', 'push.md', 'slow readers'],
    ['limitReplayBytes', 'ERR_REPLAYS_FULL', 'PUSH-27', 'readers that come back'],
    ['limitReplayMembers', 'a gap', 'push.md', 'readers that come back'],
    ['limitStallMs', 'the connection ends', 'PUSH-61'],
    ['limitAgeMs', 'the connection ends', 'PUSH-35'],
  ]),
  ...limitsOf('queries', QUERIES, [
    ['limitQueryChars', 'ERR_QUERY_TOO_LONG', 'QUERY-12', 'long query'],
    ['limitRows', 'ERR_ANSWER_TOO_LARGE', 'query.md', 'large answer'],
    ['limitQuads', 'ERR_VIEW_TOO_LARGE', 'query.md', 'large state of a query'],
    ['limitEvaluationMs', 'ERR_EVALUATION_TIMEOUT', 'QUERY-83', 'long evaluation'],
    ['limitLoadingMs', 'ERR_STATE_LATE', 'QUERY-83'],
    ['limitMemoryMib', 'ERR_QUERY_MEMORY', 'QUERY-83', 'memory of a query'],
    ['limitTextChars', 'ERR_TEXT_TOO_LONG', 'query.md'],
    ['limitWaitingQueries', 'ERR_QUERIES_WAITING', 'QUERY-82', 'long query'],
    ['limitLiveQueries', 'ERR_LIVE_QUERIES_FULL', 'query.md', 'live queries'],
    ['limitSubscribers', 'ERR_SUBSCRIBERS_FULL', 'query.md'],
    ['limitMalMs', 'ERR_QUERY_OPTION', 'QUERY-74'],
    ['limitQueueBytes', 'ERR_SUBSCRIBER_SLOW', 'QUERY-77'],
    ['limitStallMs', 'the connection ends', 'QUERY-111'],
    ['limitReplayBytes', 'a new snapshot', 'query.md'],
    ['limitAnswerBytes', 'ERR_ANSWER_TOO_LARGE', 'QUERY-110', 'large answer'],
  ]),
  ...limitsOf('answers to a client', { ...CLIENT, 'contexts of a stream': LIMIT_CONTEXTS }, [
    ['documentBytes', 'ERR_RESPONSE_TOO_LARGE', 'any-ldes.md', 'document of long texts'],
    ['documentQuads', 'ERR_RDF_TOO_MANY', 'any-ldes.md', 'document of many statements, Turtle'],
    ['contextWork', 'ERR_JSONLD_CONTEXT_TOO_LARGE', 'any-ldes.md', 'document of many statements, JSON-LD'],
    ['contextBytes', 'ERR_RESPONSE_TOO_LARGE', 'any-ldes.md'],
    ['contexts of a stream', 'ERR_CONTEXTS_TOO_MANY', 'any-ldes.md'],
    ['eventBytes', 'ERR_SSE_EVENT_TOO_LARGE', 'PUSH-14'],
    ['memberQuads', 'ERR_TREE_MEMBER_TOO_LARGE', 'READ-32', 'member of many statements'],
    ['waitingMembers', 'ERR_TREE_WAITING_TOO_MANY', 'READ-32', 'document of many statements, N-Quads'],
    ['waitingQuads', 'ERR_TREE_WAITING_TOO_LARGE', 'READ-32', 'document of many statements, N-Quads'],
    ['knownPages', 'ERR_TREE_PAGES_TOO_MANY', 'READ-40'],
    ['requestsPerSecond', 'waits', 'MAL-116'],
    ['rememberedMembers', 'the oldest is forgotten', 'any-ldes.md', 'document of many statements, N-Quads'],
    ['emptyPages', 'read slowly', 'READ-39'],
    ['requestMs', 'ERR_RESPONSE_TIMEOUT', 'mal.md'],
  ]),
];

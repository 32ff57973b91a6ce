// What is known of a stream besides its members: its names and URLs, what it promises to keep, what the catalogue says
// of it, and how its feeds fare.
//
//   describeStream({ publicUrl: 'https://h/', name: 'vehicles' })
//   -> { name: 'vehicles', title: 'vehicles', publicUrl: 'https://h/', url: 'https://h/vehicles',
//        iri: 'https://h/vehicles#stream', sequencePath: 'https://w3id.org/ldes-live/terms#sequence', about: {} }

import { errors } from './errors.ts';
import { live } from './vocabulary.ts';

/** Enough to publish a stream and to write its members. */
export interface StreamDescription {
  /** Its name in URLs: `[a-z0-9][a-z0-9-]*`. */
  readonly name: string;
  /** Title for people. */
  readonly title: string;
  /** Base URL of the server, absolute, ending in `/`. */
  readonly publicUrl: string;
  /** URL of the root node; the stream's other documents are below it. */
  readonly url: string;
  /** IRI of the event stream itself. */
  readonly iri: string;
  /** IRI of the property that holds a member's sequence number (`ldes:sequencePath`); a log that is older has its own. */
  readonly sequencePath: string;
  /** What it promises to keep; everything when absent. */
  readonly retention?: RetentionPolicy | undefined;
  /** What the catalogue says of it. */
  readonly about: StreamAbout;
}

/** What {@link describeStream} takes: the parts of a {@link StreamDescription} that others follow from. */
export interface StreamOptions {
  readonly publicUrl: string;
  readonly name: string;
  /** The name when absent. */
  readonly title?: string | undefined;
  readonly retention?: RetentionPolicy | undefined;
  readonly about?: StreamAbout | undefined;
}

/**
 * Which members a stream promises to keep. Absent parts promise nothing of their own.
 *
 * A member stays while it is not before `startingFrom` and either is younger than `fullLogMs`, or is one of the
 * newest `versionAmount` of its entity, younger than `versionMs`, and, if it is a delete, younger than
 * `versionDeleteMs`. A policy without `fullLogMs` and `versionAmount` keeps everything that is not before
 * `startingFrom` and is no delete as old as `versionDeleteMs`, whatever `versionMs` says. Ages count from publication; for
 * `versionMs` and `versionDeleteMs` from the version time, where a member has one.
 *
 * @see https://w3id.org/ldes/specification#retention
 */
export interface RetentionPolicy {
  /** Nothing published before this is kept (`ldes:startingFrom`): xsd:dateTime with a timezone. */
  readonly startingFrom?: string | undefined;
  /** Everything is kept so long after its publication (`ldes:fullLogDuration`): milliseconds, above 0. */
  readonly fullLogMs?: number | undefined;
  /** So many of the newest versions of each entity are kept (`ldes:versionAmount`): an integer, 1 or more. */
  readonly versionAmount?: number | undefined;
  /** For how long those versions count (`ldes:versionDuration`): milliseconds, above 0; for ever when absent. */
  readonly versionMs?: number | undefined;
  /** For how long deletes are kept (`ldes:versionDeleteDuration`): milliseconds, 0 or more; as versions are when absent. */
  readonly versionDeleteMs?: number | undefined;
}

/** What a catalogue says of a stream besides where it is. */
export interface StreamAbout {
  /** What it holds, for people. */
  readonly description?: string | undefined;
  /** IRI of the licence that it is published under. */
  readonly licence?: string | undefined;
  readonly publisher?: Publisher | undefined;
  /** Words that it should be found by. */
  readonly keywords?: readonly string[] | undefined;
  /** Whom to ask about it. */
  readonly contact?: Contact | undefined;
  /** IRIs of what it is about, such as those of the EU's authority table of data themes. */
  readonly themes?: readonly string[] | undefined;
  /** IRIs of the places that it is about, such as those of the EU's authority tables or of GeoNames. */
  readonly places?: readonly string[] | undefined;
}

/** Whom to ask: a name, and where to write to. */
export interface Contact {
  readonly name: string;
  /** An e-mail address. */
  readonly email?: string | undefined;
  /** URL of a page. */
  readonly url?: string | undefined;
}

/** An organisation that publishes; without an IRI it is known by its name only. */
export interface Publisher {
  readonly name: string;
  readonly iri?: string | undefined;
}

/**
 * Describes a stream.
 *
 * @throws {@link StreamError} `ERR_STREAM_DESCRIPTION` - the name or the public URL is not a text
 */
export function describeStream(options: StreamOptions): StreamDescription {
  const { publicUrl, name, title = name, retention, about = {} } = options;
  // A log that was begun under such a URL could not go on under another.
  for (const [field, value] of Object.entries({ publicUrl, name })) {
    if (typeof value !== 'string') throw errors.ERR_STREAM_DESCRIPTION({ field, value });
  }
  const url = `${publicUrl}${name}`;
  return {
    name,
    title,
    publicUrl,
    url,
    // A fragment of the root, so that the stream dereferences to it and is still no document itself.
    iri: `${url}#stream`,
    sequencePath: live.sequence,
    retention,
    about,
  };
}

/**
 * The sequence path of a log that was begun when each publisher had a namespace of its own: its members are stored with it.
 *
 * @param publicUrl - the base URL of the server, ending in `/`
 */
export function formerSequencePath(publicUrl: string): string {
  return `${publicUrl}ns/live#sequence`;
}

/** How a feed of a stream fares, as `/health` tells it. Times are xsd:dateTime in UTC. */
export interface SourceHealth {
  readonly origin: string;
  /** `starting` before the first good poll, then whether the last poll was good. */
  readonly state: 'starting' | 'ok' | 'failing';
  /** When the first poll failed of those that have failed in a row until now; absent while the last poll was good. */
  readonly failingSince?: string | undefined;
  /** When data was last taken, or found unchanged. */
  readonly lastGoodAt?: string | undefined;
  /** The newest time that the source states of its data, as of the last good poll that stated one. */
  readonly dataAt?: string | undefined;
  readonly nextPollAt?: string | undefined;
  /** When the next update is expected to be visible. */
  readonly nextUpdateAt?: string | undefined;
  /** The last thing that went wrong, kept after recovery. */
  readonly lastError?: SourceProblem | undefined;
  /** Polls since the start: good ones brought data or found it unchanged, bad ones brought nothing that counts. */
  readonly polls: { readonly good: number; readonly bad: number };
  /** How often each error came up since the start. */
  readonly errors: Readonly<Record<string, number>>;
  /** Findings about the data that do not stop publication, by name: collisions, unknown fields. */
  readonly findings: Readonly<Record<string, number>>;
  /** When they were last judged. */
  readonly noticedAt?: string | undefined;
  /** What those of them mean that have a meaning to state, by name. */
  readonly meanings?: Readonly<Record<string, FindingMeaning>> | undefined;
}

/** One failure of a feed. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

/** Whether the sources of a stream work, as its readers are told: since when not, in whole seconds, epoch milliseconds. */
export type SourceState =
  | { readonly kind: 'ok' }
  | {
      readonly kind: 'failing';
      readonly sinceMs: number;
      /** Of a server that is cut off from who writes: what was published after that, in whole seconds, it may not have. */
      readonly completeToMs?: number;
    };

/** The state of a stream: failing from the moment since which one of its sources has failed, the longest failing one counts. */
export function sourceStateOf(sources: readonly Pick<SourceHealth, 'failingSince'>[]): SourceState {
  const failing = sources.flatMap(({ failingSince }) => (failingSince === undefined ? [] : Date.parse(failingSince)));
  if (failing.length === 0) return { kind: 'ok' };
  // A header field can say no more than the second: what readers are told otherwise must be the same time.
  return { kind: 'failing', sinceMs: Math.floor(Math.min(...failing) / 1000) * 1000 };
}

/**
 * The value of the header field `LDES-Source`: `ok`, or `failing;since=@SECONDS` with a date of RFC 9651, section 3.3.7,
 * and `;complete-to=@SECONDS` of a server that is cut off.
 *
 * @see specs/documents.md
 */
export function formatSourceState(state: SourceState): string {
  if (state.kind === 'ok') return 'ok';
  const { sinceMs, completeToMs } = state;
  const failing = `failing;since=@${Math.floor(sinceMs / 1000)}`;
  return completeToMs === undefined ? failing : `${failing};complete-to=@${Math.floor(completeToMs / 1000)}`;
}

const SOURCE_FIELD = /^\s*(ok|failing)\s*(?:;(.*))?$/s;
const SINCE = /(?:^|;)\s*since=@(-?\d{1,15})\s*(?:;|$)/;
const COMPLETE_TO = /(?:^|;)\s*complete-to=@(-?\d{1,15})\s*(?:;|$)/;

/**
 * Reads a value of the header field `LDES-Source`; parameters that are not known are ignored.
 *
 * @returns `undefined` where it says neither that the sources work, nor since when they fail
 */
export function parseSourceState(field: string): SourceState | undefined {
  const [, kind, parameters = ''] = SOURCE_FIELD.exec(field) ?? [];
  const [sinceMs, completeToMs] = [SINCE, COMPLETE_TO].map(
    (parameter) => Number(parameter.exec(parameters)?.[1] ?? Number.NaN) * 1000,
  );
  return sourceState(kind, sinceMs as number, completeToMs as number);
}

/**
 * Reads the data of `event: status` of a push endpoint.
 *
 * @returns `undefined` where they say nothing of the sources that can be understood
 * @see specs/push.md PUSH-65
 */
export function parseSourceStatus(data: string): SourceState | undefined {
  try {
    const { source, since, completeTo } = JSON.parse(data);
    return sourceState(source, Date.parse(since), Date.parse(completeTo));
  } catch {
    return undefined;
  }
}

/** The last instant that a `Date` can be, epoch milliseconds. */
const LAST_MS = 8.64e15;

function sourceState(kind: unknown, sinceMs: number, completeToMs: number): SourceState | undefined {
  if (kind === 'ok') return { kind };
  if (kind !== 'failing' || !(Math.abs(sinceMs) <= LAST_MS)) return undefined;
  return { kind, sinceMs, ...(Math.abs(completeToMs) <= LAST_MS && { completeToMs }) };
}

/** What a finding about the data of a feed means. */
export interface FindingMeaning {
  /** One phrase in English that says what is wrong. */
  readonly title: string;
  /** `error` where the specification of the data is broken, `warning` where its advice is not followed. */
  readonly severity: 'error' | 'warning';
}

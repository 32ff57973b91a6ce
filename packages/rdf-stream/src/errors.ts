// Errors of every package: one class, made from tables of messages by code. A message says what happened, with which
// value, and what to do.
//
//   const errors = defineErrors({ ERR_PORT_BUSY: ({ port }: { port: number }) => `Port ${port} is in use: choose ...` });
//   throw errors.ERR_PORT_BUSY({ port: 3000 }, cause);
//   -> StreamError { code: 'ERR_PORT_BUSY', details: { port: 3000 }, message: 'Port 3000 is in use: choose ...' }

/** A stable error code: `ERR_` and upper-case words. Codes are never renamed and never reused. */
export type ErrorCode = `ERR_${string}`;

/** The values that an error message names, by name. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

// A registered symbol, so that an error is recognised when two copies of this package are installed.
const BRAND = Symbol.for('@ldes-live/stream-error');

/** The one error class of ldes-live. Recognise it by {@link isStreamError} and its code. @see specs/errors.md */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** `specs/errors.md` has an anchor for each. */
  readonly code: ErrorCode;
  /** The values at fault, as named in the message. */
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether anything that was thrown is a {@link StreamError}, and of the given code if one is named. */
export function isStreamError(value: unknown, code?: ErrorCode): value is StreamError {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as unknown as StreamError).code === code;
}

/** Media type of a problem document. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

/** The problem document (RFC 9457) of an error, as JSON. @see specs/errors.md ERR-2 */
export function problemDocument({ code, details, message }: StreamError, status: number, title: string): string {
  const type = `${ERRORS_DOCUMENT}#${code.toLowerCase()}`;
  // The details come first, so that no value can take the place of what the standard names.
  return JSON.stringify({ ...details, type, title, status, detail: message, code });
}

/** Message templates by code. */
// biome-ignore lint/suspicious/noExplicitAny: the values' type is each template's own; `never` would hide it from callers.
export type ErrorTable = Readonly<Record<ErrorCode, (values: any) => string>>;

/** One factory for each code of a table: values, and the cause if there is one, to an error. */
export type ErrorFactories<Table extends ErrorTable> = {
  readonly [Code in keyof Table & ErrorCode]: (values: Parameters<Table[Code]>[0], cause?: unknown) => StreamError;
};

/** A span of time as a message shows it: `250 ms`, `2.5 s`, `10 min`, `24 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${ms / 1000} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 6000) / 10} min` : `${Math.round(ms / 360_000) / 10} h`;
}

/** Characters of a value of an error: more than any IRI, and little enough for answers, logs and what keeps errors. */
const LIMIT_VALUE = 10_000;

/** Values of which none is a long text: those come from whoever sends something, and are said again in many places. */
function shortened(values: ErrorDetails = {}): ErrorDetails {
  const long = Object.entries(values).filter(([, value]) => typeof value === 'string' && value.length > LIMIT_VALUE);
  if (long.length === 0) return values;
  // Put together anew: a part that is cut out would hold the whole text in memory.
  const cut = (text: string) => `${Array.from(text.slice(0, LIMIT_VALUE)).join('').toWellFormed()}…`;
  return { ...values, ...Object.fromEntries(long.map(([name, value]) => [name, cut(value as string)])) };
}

/** Makes a package's error factories from its table of messages. */
export function defineErrors<Table extends ErrorTable>(table: Table): ErrorFactories<Table> {
  const entries = Object.entries(table).map(([code, message]) => [
    code,
    (given: ErrorDetails, cause?: unknown) => {
      const values = shortened(given);
      return new StreamError(code as ErrorCode, message(values), values, cause);
    },
  ]);
  return Object.fromEntries(entries) as ErrorFactories<Table>;
}

interface MalformedText {
  readonly url?: string | undefined;
  readonly format: string;
  readonly line?: number | undefined;
  readonly problem: string;
}

export const errors = defineErrors({
  ERR_CURSOR_MALFORMED: ({ value }: { value: string }) =>
    `"${value}" is not a cursor. Give <epoch>-<sequence> as the server printed it, such as "k3x9a-42".`,
  ERR_DRAFT: ({ entity, problem }: { entity: string; problem: string }) =>
    `A draft of ${entity} cannot be published (${problem}). Give entity, origin, and either kind "upsert" with quads and a fingerprint, or kind "delete".`,
  ERR_STREAM_DESCRIPTION: ({ field, value }: { field: string; value: unknown }) =>
    `The ${field} of a stream cannot be ${JSON.stringify(value) ?? String(value)}: give a string.`,
  ERR_DRAFT_REPEATED: ({ entity }: { entity: string }) =>
    `The commit has two drafts of ${entity}, and a commit holds one version of an entity. Append them one after the other.`,
  ERR_VERSION_REPEATED: ({ version }: { version: string }) =>
    `The commit has two drafts of the version ${version}, and a version is published once. Remove one draft, or give it another IRI.`,
  ERR_RDF_MALFORMED: ({ url = 'The document', format, line, problem }: MalformedText) =>
    `${url} is not ${format}${line === undefined ? '' : ` (line ${line})`}: ${problem} Correct the document, or send it with its real media type.`,
  ERR_RDF_TOO_MANY: ({ url, limitQuads }: { url: string; limitQuads: number }) =>
    `${url} has more than ${limitQuads} statements or values. If you trust its publisher with more memory, raise the limit (limits.documentQuads of a client).`,
  ERR_JSONLD_CONTEXT_TOO_LARGE: ({ url, limitContextWork }: { url: string; limitContextWork: number }) =>
    `The JSON-LD contexts of ${url} need more than ${limitContextWork} copies of terms. If you trust its publisher with more time, raise the limit (limits.contextWork of a client).`,
  ERR_JSONLD_CONTEXT_REFUSED: ({ url }: { url: string }) =>
    `The JSON-LD document refers to the context ${url}, which is not fetched. Put the context inline.`,
  ERR_PARSER_UNAVAILABLE: ({ format, problem }: { format: string; problem: string }) =>
    `The parser of ${format} could not be loaded (${problem}). Check that all files of the program, or of its bundle, are there.`,
  ERR_GRAPH_UNSUPPORTED: ({ format, graph }: { format: string; graph: string }) =>
    `${format} cannot hold the named graph ${graph}. Write trig, nquads or jsonld, or put the quads in the default graph.`,
  ERR_TERM_UNSUPPORTED: ({ term }: { term: string }) =>
    `${term} is not a term that can be written. Give an RDF 1.1 literal, a blank node label of letters, digits and _.-, an absolute IRI (RFC 3987) without spaces, or a well-formed language tag (BCP 47).`,
  ERR_NARROWING_LIMIT: ({ values, limitNarrowing }: { values: number; limitNarrowing: number }) =>
    `The request has ${values} values of entity, type and bbox, and the limit is ${limitNarrowing}. Divide them among several requests, or filter the whole stream yourself.`,
  ERR_NARROWING_MALFORMED: ({ name, value, expected }: { name: string; value: string; expected: string }) =>
    `"${value}" is not a value of the filter ${name}: give ${expected}.`,
  ERR_QUAD_STREAM_CLOSED: (_: object) =>
    'The stream of quads was closed before its end, so quads may be missing. Read it again from its source.',
  ERR_SSE_EVENT_TOO_LARGE: ({ limitBytes }: { limitBytes: number }) =>
    `An event is larger than ${limitBytes} bytes. If you trust the server with more memory, raise limitBytes.`,
  ERR_SSE_FIELD_INVALID: ({ field, value }: { field: string; value: string }) =>
    `The ${field} of an event cannot be ${JSON.stringify(value)}. Remove line breaks and NUL, and give retry as whole milliseconds of 0 or more.`,
  ERR_VIEW_NOT_FOUND: ({ url }: { url: string }) =>
    `${url} is not the tree:view of a stream. Give the URL of the root node of an LDES, as a catalogue lists them.`,
  ERR_VIEW_AMBIGUOUS: ({ url, streams }: { url: string; streams: readonly string[] }) =>
    `${url} is the tree:view of ${streams.length} streams (${streams.join(', ')}). Its publisher must keep one: the root of an LDES belongs to one stream.`,
  ERR_STREAM_CONTEXT_INCOMPLETE: ({ stream, property }: { stream: string; property: string }) =>
    `${stream} does not have one IRI as its ${property}. Its publisher must state one predicate on the stream, its root node or its view description.`,
  ERR_MEMBER_MALFORMED: ({ member, problem }: { member: string; problem: string }) =>
    `The member ${member} ${problem}. Its publisher must state it once, as the context of the stream says.`,
  ERR_MEMBERS_TOO_LARGE: ({ limitQuads }: { limitQuads: number }) =>
    `The members have more than ${limitQuads} quads (shared blank nodes count for each member). If you trust the publisher, raise limitQuads.`,
});

/** The error for a text that is not of its format; `cause`: what its parser threw, which says what is wrong. */
export function malformed(place: Omit<MalformedText, 'problem'>, cause: unknown): StreamError {
  const problem = (cause as Error).message.replace(/ on line \d+\.?$/, '').replace(/[^.]$/, '$&.');
  return errors.ERR_RDF_MALFORMED({ ...place, problem }, cause);
}

/** The error for a parser whose module could not be loaded; `cause`: what loading it threw. */
export function parserUnavailable(format: string, cause: unknown): StreamError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return errors.ERR_PARSER_UNAVAILABLE({ format, problem }, cause);
}

/**
 * The known key that a misspelt one was probably meant to be, whatever its case; `undefined` when none is near.
 *
 * @param known - the keys that there are, the first of equally near ones first
 */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  const [best] = known
    // It takes as many edits at least; a key of others may be of any length.
    .filter((candidate) => Math.abs(candidate.length - key.length) <= Math.round(candidate.length / 3))
    .map((candidate) => ({ candidate, edits: editDistance(key.toLowerCase(), candidate.toLowerCase()) }))
    // More edits than a third of the word make another word, not a slip.
    .filter(({ candidate, edits }) => edits <= Math.round(candidate.length / 3))
    .sort((left, right) => left.edits - right.edits);
  return best?.candidate;
}

/** Letters to insert, remove or replace to get from one word to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [done, letter] of [...from].entries()) {
    const next = [done + 1];
    for (const [index, wanted] of [...to].entries()) {
      const replaced = (row[index] as number) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

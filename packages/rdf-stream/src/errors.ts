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

/** Makes a package's error factories from its table of messages. */
export function defineErrors<Table extends ErrorTable>(table: Table): ErrorFactories<Table> {
  const entries = Object.entries(table).map(([code, message]) => [
    code,
    (values: ErrorDetails, cause?: unknown) => new StreamError(code as ErrorCode, message(values), values, cause),
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
    `"${value}" is not a cursor: give <epoch>-<sequence> as the server printed it, such as "k3x9a-42".`,
  ERR_DRAFT: ({ entity, problem }: { entity: string; problem: string }) =>
    `A draft of ${entity} cannot be published (${problem}): give entity, origin, and either kind "upsert" with quads and a fingerprint, or kind "delete".`,
  ERR_STREAM_DESCRIPTION: ({ field, value }: { field: string; value: unknown }) =>
    `The ${field} of a stream is ${JSON.stringify(value) ?? String(value)}: give a text.`,
  ERR_DRAFT_REPEATED: ({ entity }: { entity: string }) =>
    `The commit has two drafts of ${entity}: a commit holds one version of an entity, so append them one after the other.`,
  ERR_VERSION_REPEATED: ({ version }: { version: string }) =>
    `The commit has two drafts of the version ${version}: a version is published once, so leave one out, or give it another IRI.`,
  ERR_RDF_MALFORMED: ({ url = 'The document', format, line, problem }: MalformedText) =>
    `${url} is not ${format}${line === undefined ? '' : ` (line ${line})`}: ${problem} Whoever wrote it has to correct it, or to send it as the format that it is.`,
  ERR_RDF_TOO_MANY: ({ url, limitQuads }: { url: string; limitQuads: number }) =>
    `${url} has more than ${limitQuads} statements or values: raise that limit, which is limits.documentQuads of a client, if its publisher is to be trusted with the memory.`,
  ERR_JSONLD_CONTEXT_TOO_LARGE: ({ url, limitContextWork }: { url: string; limitContextWork: number }) =>
    `The JSON-LD contexts of ${url} take more than ${limitContextWork} copies of terms to apply: raise that limit, which is limits.contextWork of a client, if its publisher is to be trusted with the time.`,
  ERR_JSONLD_CONTEXT_REFUSED: ({ url }: { url: string }) =>
    `The JSON-LD document refers to the context ${url}, which is not fetched: put the context inline.`,
  ERR_PARSER_UNAVAILABLE: ({ format, problem }: { format: string; problem: string }) =>
    `What reads ${format} could not be loaded (${problem}): check that the files beside the program, or of its bundle, can be reached.`,
  ERR_GRAPH_UNSUPPORTED: ({ format, graph }: { format: string; graph: string }) =>
    `${format} cannot hold the graph ${graph}: write trig, nquads or jsonld, or put the quads in the default graph.`,
  ERR_TERM_UNSUPPORTED: ({ term }: { term: string }) =>
    `${term} cannot be written: give absolute IRIs without spaces or any of <>"{}|^\`\\, blank node labels of letters, digits and _.- and literals as in RDF 1.1.`,
  ERR_NARROWING_LIMIT: ({ values, limitNarrowing }: { values: number; limitNarrowing: number }) =>
    `The query has ${values} entities, types and boxes in all, and may have ${limitNarrowing}. Divide them among several streams, or leave them out and choose from the whole stream.`,
  ERR_NARROWING_MALFORMED: ({ name, value, expected }: { name: string; value: string; expected: string }) =>
    `"${value}" is not a value of ${name} to filter a stream by: give ${expected}.`,
  ERR_QUAD_STREAM_CLOSED: (_: object) =>
    'The stream of quads was closed before its end: what came of it may not be all. Read it again from its source.',
  ERR_SSE_EVENT_TOO_LARGE: ({ limitBytes }: { limitBytes: number }) =>
    `An event is larger than ${limitBytes} bytes: raise limitBytes if the server is to be trusted with that much memory.`,
  ERR_SSE_FIELD_INVALID: ({ field, value }: { field: string; value: string }) =>
    `${JSON.stringify(value)} cannot be the ${field} of an event: leave out line breaks and NUL, and give retry as whole milliseconds >= 0.`,
  ERR_VIEW_NOT_FOUND: ({ url }: { url: string }) =>
    `Nothing in ${url} has it as its tree:view: give the URL of the root node of an LDES; a catalogue lists those of its streams.`,
  ERR_VIEW_AMBIGUOUS: ({ url, streams }: { url: string; streams: readonly string[] }) =>
    `${url} is the tree:view of ${streams.length} streams (${streams.join(', ')}): an LDES root belongs to one.`,
  ERR_STREAM_CONTEXT_INCOMPLETE: ({ stream, property }: { stream: string; property: string }) =>
    `${stream} has no single IRI as its ${property}: its publisher has to state one predicate on the stream, its root node or its view description.`,
  ERR_MEMBER_MALFORMED: ({ member, problem }: { member: string; problem: string }) =>
    `The member ${member} ${problem}: its publisher has to state it once, as the stream's context says.`,
  ERR_MEMBERS_TOO_LARGE: ({ limitQuads }: { limitQuads: number }) =>
    `The members have more than ${limitQuads} quads, blank nodes that they share counted for each: raise limitQuads if the publisher is to be trusted.`,
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

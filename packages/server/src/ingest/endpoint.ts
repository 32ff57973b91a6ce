/* Posts: who may, how many at a time, and the life of each from its header to its answer.
 *
 *   POST /water -> PostEndpoint.answer()
 *     1 header   token, type, encoding, announced length, key       401, 403, 413, 415, 400
 *     2 turn     so many at a time, others wait in order            429, or 503 when the server stops
 *     3 body     asked for, read in time, gunzipped, UTF-8          400, 408, 413         body.ts
 *     4 members  of the body's format, as they come                 400, 413, 422         rdf-members.ts, json-ld-members.ts
 *     5 drafts   what is published of each, if the shape allows it  422                   drafts.ts
 *     6 commits  while the next members are read                    503                   append.ts
 *     7 answer   201 or 200 with what became of the members:
 *                { "stored": 2, "unchanged": 0, "held": 0, "cursor": "k3x9a-43" }
 *                or a problem that says what is stored; counted, and logged where the fault is on this side
 *
 * A post with an Idempotency-Key that was answered before is hashed in place of 4 to 6, and gets that answer. */

import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Log } from '@ldes-live/log';
import { formatCursor, httpFields, type SourceHealth, type StreamError } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/document.ts';
import { errors } from '../errors.ts';
import { CORS_HEADERS, EXPOSED_OF_POSTS, NO_STORE } from '../http/caching.ts';
import { writeProblem } from '../http/problem.ts';
import type { RepeatedLines } from '../logging.ts';
import { type IngestLimits, ingestLimits, type LiveStream } from '../options.ts';
import type { WorkTurns } from '../work-turns.ts';
import {
  challengeOf,
  IdempotencyKeys,
  judgeToken,
  readIdempotencyKey,
  readTokenHashes,
  Semaphore,
  type StreamTokens,
} from './admission.ts';
import {
  BodyAppender,
  isFault,
  type PostResult,
  PostStats,
  postError,
  RETRY_FAULT_SECONDS,
  resultJson,
  StreamAppender,
  withResult,
} from './append.ts';
import {
  ACCEPT_POST,
  ACCEPTED_ENCODINGS,
  askForBody,
  bodyBytes,
  bodyText,
  drainRequest,
  ENDED,
  isBodyAwaited,
  onBreakOff,
  type PostedEncoding,
  type PostedFormat,
  postedEncoding,
  postedFormat,
  requestBytes,
  type Sleep,
} from './body.ts';
import { createMemberValidator, type DraftOptions, ownIris, postedDraft } from './drafts.ts';
import { JsonLdReader, type JsonOptions, NdjsonReader } from './json-ld-members.ts';
import { type MemberReader, RdfMemberReader } from './rdf-members.ts';

/** What posts take from outside. */
interface PostEnvironment {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  readonly turns: WorkTurns;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Pick<RepeatedLines, 'error' | 'warn'>;
  /** Why a post is not taken now, whoever sends it. @defaultValue it is */
  readonly refusal?: (request: IncomingMessage) => StreamError | undefined;
}

type TakingStream = LiveStream & Required<Pick<LiveStream, 'ingest'>>;

/** What holds for the posts that come from now on: those that are read keep to what held when they began. */
interface PostRules {
  readonly stream: TakingStream;
  readonly limits: IngestLimits;
  /** Of all streams. */
  readonly tokens: StreamTokens;
  readonly drafting: DraftOptions;
}

/** The posts of a server: an endpoint for each of its streams that takes them. */
export class PostEndpoints {
  readonly #environment: PostEnvironment;
  #endpoints: ReadonlyMap<string, PostEndpoint> = new Map();

  constructor(environment: PostEnvironment) {
    this.#environment = environment;
  }

  /** The endpoint of a stream; `undefined` where it takes no posts. */
  get(name: string): PostEndpoint | undefined {
    return this.#endpoints.get(name);
  }

  /**
   * Makes rules for the posts to the streams of the server. What validates is loaded only where something is to be validated.
   *
   * @returns has them hold: until it is called nothing changes. The endpoint of a log stays, with its posts, keys and counts
   * @throws {@link StreamError} `ERR_TOKEN_HASH`, `ERR_LIMIT`, `ERR_SHAPE_UNUSABLE`
   * @see specs/ingest.md
   */
  async prepare(streams: readonly LiveStream[]): Promise<() => void> {
    const taking = streams.filter((stream): stream is TakingStream => stream.ingest !== undefined);
    const tokens = new Map(taking.map(({ description: { name }, ingest }) => [name, readTokenHashes(name, ingest)]));
    const isOwnIri = ownIris(streams.map(({ description }) => description));
    const { turns } = this.#environment;
    const prepared = taking.map(async (stream): Promise<PostRules> => {
      const { description, shape, ingest } = stream;
      const validate = shape && (await createMemberValidator(shape, description));
      const drafting = { sequencePath: description.sequencePath, isOwnIri, turns, validate };
      return { stream, limits: ingestLimits(ingest.limits), tokens, drafting };
    });
    const rules = await Promise.all(prepared);
    return () => {
      const before = this.#endpoints;
      this.#endpoints = new Map(rules.map((one) => [one.stream.description.name, this.#endpoint(one)]));
      for (const [name, endpoint] of before) if (this.get(name) !== endpoint) endpoint.stop();
    };
  }

  stop(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.stop();
  }

  #endpoint(rules: PostRules): PostEndpoint {
    const { description, log } = rules.stream;
    const known = this.get(description.name);
    if (known?.log !== log) return new PostEndpoint(rules, this.#environment);
    known.exchange(rules);
    return known;
  }
}

/** An answer to a post that succeeded. */
interface PostAnswer {
  readonly status: 200 | 201;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the header of a post says; `token`: the hash of the one that it came with. */
interface PostHeader {
  readonly token: string;
  readonly format: PostedFormat;
  readonly encoding: PostedEncoding;
  readonly key: string | undefined;
}

/** Takes the posts to one stream for as long as that is there. @see specs/ingest.md */
export class PostEndpoint {
  readonly log: Log;
  readonly #environment: PostEnvironment;
  readonly #appender: StreamAppender;
  readonly #semaphore: Semaphore;
  readonly #keys: IdempotencyKeys<{ readonly hash: string; readonly answer: PostAnswer }>;
  readonly #stats: PostStats;
  readonly #open = new Set<AbortController>();
  #rules: PostRules;
  #isStopping = false;

  constructor(rules: PostRules, environment: PostEnvironment) {
    this.log = rules.stream.log;
    this.#rules = rules;
    this.#environment = environment;
    this.#appender = new StreamAppender(this.log);
    this.#semaphore = new Semaphore(rules.limits);
    this.#keys = new IdempotencyKeys(rules.limits, environment.clock);
    this.#stats = new PostStats(environment.clock);
  }

  /** Has other rules hold for the posts that come from now on. */
  exchange(rules: PostRules): void {
    this.#rules = rules;
    this.#semaphore.limits = rules.limits;
    this.#keys.limits = rules.limits;
  }

  /** How posts fare, as a source of the stream. */
  health(): SourceHealth {
    return this.#stats.health();
  }

  /** What posts have come to since the start, and those that are here now. */
  stats() {
    return { ...this.#semaphore.counts, ...this.#stats.counts() };
  }

  /** Reads no further: what is being read, and what comes from now on, is answered with what is stored of it. */
  stop(): void {
    this.#isStopping = true;
    for (const ending of this.#open) ending.abort(stopping());
  }

  /**
   * Answers a post, once the log has all of it or it is refused. What is still sent of a refused one is drained.
   *
   * @param extraFields - further header fields, which count before those of the answer
   */
  async answer(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): Promise<void> {
    let taken: PostAnswer;
    try {
      taken = await this.#take(request, response);
    } catch (caught) {
      const error = caught as StreamError;
      // After either nothing more is read from the connection.
      const isLast = error.code === 'ERR_POST_BROKEN_OFF' || isBodyAwaited(request);
      // Who still sends gets the answer first: many look for it only then.
      if (!isLast) drainRequest(request, response, this.#environment.sleep);
      const connection = isLast && request.httpVersionMajor === 1 && { connection: 'close' };
      const fields = { ...EXPOSED_FIELDS, ...refusalFields(error, this.#rules.stream.description.name), ...connection };
      writeProblem(response, error, { ...fields, ...extraFields });
      return;
    }
    const { status, headers, body } = taken;
    const fields = { ...SUCCESS_FIELDS, ...headers, ...extraFields, 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, fields).end(body);
  }

  /** @throws {@link StreamError} what is answered to it, with what is stored of it */
  async #take(request: IncomingMessage, response: ServerResponse): Promise<PostAnswer> {
    const rules = this.#rules;
    const body = new BodyAppender(this.#appender, rules.limits);
    const ending = new AbortController();
    this.#open.add(ending);
    try {
      const refusal = this.#environment.refusal?.(request);
      if (refusal) throw refusal;
      const header = readHeader(request, rules);
      if (this.#isStopping) throw stopping();
      const leave = await this.#enter(request, ending);
      try {
        askForBody(request, response);
        const bytes = requestBytes(request, { ...this.#environment, limits: rules.limits, ending });
        const answer = await this.#takeOnce(
          bodyBytes(bytes, header.encoding, rules.limits.limitBodyBytes),
          header,
          body,
          rules,
        );
        this.#stats.succeeded(body.result);
        return answer;
      } finally {
        leave();
      }
    } catch (caught) {
      throw this.#failed(caught, body.result);
    } finally {
      this.#open.delete(ending);
      // Where it was refused the body may still be waited for, as by what decompresses it.
      ending.abort(ENDED);
    }
  }

  /** Counts and logs what a post ended with; gives it as it is answered. */
  #failed(caught: unknown, result: PostResult): StreamError {
    const { name } = this.#rules.stream.description;
    const error = postError(caught, `/${name}`);
    this.#stats.failed(error, result);
    const fields = { stream: name, method: 'POST', path: `/${name}`, code: error.code, err: error.cause ?? error };
    if (error.code === 'ERR_INTERNAL') this.#environment.log.error(fields, 'request failed');
    else if (isFault(error)) this.#environment.log.warn(fields, 'post failed');
    return withResult(error, result);
  }

  async #enter({ socket }: IncomingMessage, ending: AbortController): Promise<() => void> {
    const endNotice = onBreakOff(socket, () => ending.abort(errors.ERR_POST_BROKEN_OFF({ bytes: 0 })));
    try {
      return await this.#semaphore.enter(ending.signal);
    } finally {
      endNotice();
    }
  }

  async #takeOnce(
    bytes: AsyncIterable<Buffer>,
    header: PostHeader,
    body: BodyAppender,
    rules: PostRules,
  ): Promise<PostAnswer> {
    const { format, key } = header;
    if (key === undefined) return this.#store(bytes, format, body, rules);
    const name = `${header.token} ${key}`;
    const before = this.#keys.begin(name, key);
    const hash = createHash('sha256').update(`${format}\n`);
    const hashed = hashing(bytes, hash);
    if (before) {
      for await (const _ of hashed);
      if (hash.digest('base64') !== before.hash) throw errors.ERR_POST_KEY_REUSED({ key });
      return before.answer;
    }
    let answer: PostAnswer | undefined;
    try {
      answer = await this.#store(hashed, format, body, rules);
      return answer;
    } finally {
      this.#keys.settle(name, answer && { hash: hash.digest('base64'), answer });
    }
  }

  async #store(
    bytes: AsyncIterable<Buffer>,
    format: PostedFormat,
    body: BodyAppender,
    rules: PostRules,
  ): Promise<PostAnswer> {
    const { turns, random } = this.#environment;
    const { limits, stream, drafting } = rules;
    const json = { limits, contexts: stream.ingest.contexts ?? {}, turns };
    const reader = memberReader(format, json, random);
    const put = async (members: ReturnType<MemberReader['take']>) => {
      for await (const member of members) {
        const draft = postedDraft(member, drafting);
        const wait = body.put(draft instanceof Promise ? await draft : draft, member.characters);
        if (wait) await wait;
        const pause = turns.pause();
        if (pause) await pause;
      }
    };
    try {
      for await (const text of bodyText(bytes)) {
        await put(reader.take(text));
        // Others are to get their turn, however fast the body comes.
        await turns.pause();
      }
      await put(reader.end());
      await body.end();
    } finally {
      await body.abandon();
    }
    return answerOf(body.result, stream);
  }
}

function memberReader(format: PostedFormat, json: JsonOptions, random: () => number): MemberReader {
  if (format === 'jsonld') return new JsonLdReader(json);
  return format === 'ndjson' ? new NdjsonReader(json) : new RdfMemberReader(format, json.limits, random);
}

/** All that can be refused before anything of the body is read. */
function readHeader({ headers }: IncomingMessage, { stream, tokens, limits }: PostRules): PostHeader {
  const token = judgeToken(headers.authorization, stream.description.name, tokens);
  const { 'content-type': contentType = '', 'content-encoding': contentEncoding } = headers;
  const format = postedFormat(contentType);
  if (!format) throw errors.ERR_POST_TYPE({ contentType, offered: ACCEPT_POST });
  const encoding = postedEncoding(contentEncoding);
  if (!encoding) {
    throw errors.ERR_POST_ENCODING({ contentEncoding: contentEncoding as string, offered: ACCEPTED_ENCODINGS });
  }
  const { limitBodyBytes } = limits;
  if (Number(headers['content-length'] ?? 0) > limitBodyBytes) {
    throw errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyBytes', value: limitBodyBytes });
  }
  return { token, format, encoding, key: readIdempotencyKey(headers['idempotency-key']) };
}

function answerOf(result: PostResult, { description }: TakingStream): PostAnswer {
  const { before, cursor } = result;
  const body = JSON.stringify(resultJson(result));
  if (!before || !cursor) return { status: 200, headers: {}, body };
  const location = `${streamUrls(description).pages}?after=${formatCursor(before)}`;
  return { status: 201, headers: { location, [httpFields.cursor]: formatCursor(cursor) }, body };
}

const EXPOSED_FIELDS = { 'access-control-expose-headers': EXPOSED_OF_POSTS };

const SUCCESS_FIELDS = {
  ...CORS_HEADERS,
  ...EXPOSED_FIELDS,
  'cache-control': NO_STORE,
  'content-type': 'application/json; charset=utf-8',
};

function refusalFields(error: StreamError, realm: string): OutgoingHttpHeaders {
  const challenge = challengeOf(error, realm);
  if (challenge !== undefined) return { 'www-authenticate': challenge };
  if (error.code === 'ERR_POST_TYPE') return { 'accept-post': ACCEPT_POST };
  return error.code === 'ERR_POST_ENCODING' ? { 'accept-encoding': ACCEPTED_ENCODINGS } : {};
}

function stopping(): StreamError {
  return errors.ERR_POST_STOPPING({ retryAfterSeconds: RETRY_FAULT_SECONDS });
}

async function* hashing(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncIterable<Buffer> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { formatCursor, httpFields, isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/stream-urls.ts';
import { errors } from '../errors.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import type { IngestLimits, IngestOptions, LiveStream } from '../options.ts';
import { ACCEPTED_ENCODINGS, bodyBytes, bodyText, type PostedEncoding, postedEncoding } from './body-text.ts';
import { ENDED } from './ended.ts';
import { IdempotencyKeys, readIdempotencyKey } from './idempotency-keys.ts';
import { DocumentReader, LineDocumentReader } from './json-reader.ts';
import type { MemberReader } from './member-reader.ts';
import type { MemberValidator } from './member-validator.ts';
import type { OwnIris } from './own-iris.ts';
import { PostCommits } from './post-commits.ts';
import { postError } from './post-error.ts';
import { PostIntake } from './post-intake.ts';
import { PostRecord } from './post-record.ts';
import { EMPTY_TALLY, type PostTally, toldTally, withTally } from './post-tally.ts';
import { judgeToken } from './post-token.ts';
import { PostTurns } from './post-turns.ts';
import { ACCEPT_POST, type PostedFormat, postedFormat } from './posted-format.ts';
import { type BodyEdge, onBreakOff, requestBytes } from './request-bytes.ts';
import { StatementReader } from './statement-reader.ts';

/** What {@link PostEndpoint} is made of. */
export interface PostEndpointParts {
  readonly stream: Pick<LiveStream, 'description' | 'log'>;
  readonly contexts: NonNullable<IngestOptions['contexts']>;
  readonly limits: IngestLimits;
  /** Hashes of the tokens of the stream. */
  readonly tokens: readonly Buffer[];
  /** Hashes of those of the other streams. */
  readonly otherTokens: readonly Buffer[];
  /** Absent where anything is valid. */
  readonly validate: MemberValidator | undefined;
  readonly isOwnIri: OwnIris;
  readonly edge: BodyEdge;
  /** In [0, 1). */
  readonly random: () => number;
}

/** An answer to a post that succeeded. */
export interface PostAnswer {
  readonly status: 200 | 201;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReturnType<typeof toldTally>;
}

/** What the header of a post says. */
interface PostHeader {
  /** Which of the tokens it came with. */
  readonly token: number;
  readonly format: PostedFormat;
  readonly encoding: PostedEncoding;
  readonly key: string | undefined;
}

/**
 * Takes the posts to one stream.
 *
 * @see specs/ingest.md
 */
export class PostEndpoint {
  readonly #parts: PostEndpointParts;
  readonly #commits: PostCommits;
  readonly #turns: PostTurns;
  readonly #keys: IdempotencyKeys<PostAnswer>;
  readonly #record: PostRecord;
  readonly #open = new Set<AbortController>();
  #isStopping = false;

  constructor(parts: PostEndpointParts) {
    this.#parts = parts;
    this.#commits = new PostCommits(parts.stream.log);
    this.#turns = new PostTurns(parts.limits);
    this.#keys = new IdempotencyKeys({ ...parts.limits, clock: parts.edge.clock });
    this.#record = new PostRecord(parts.edge.clock);
  }

  /** How posts fare, as a source of the stream. */
  health() {
    return this.#record.health();
  }

  samples(): MetricsSnapshot {
    return this.#record.samples(this.#parts.stream.description.name, this.#turns);
  }

  /**
   * Takes a post.
   *
   * @param askForBody - called before anything of the body is read
   * @returns once the log has all of it
   * @throws {@link StreamError} `ERR_TOKEN_*`, `ERR_POST_*`, `ERR_POSTS_WAITING`, `ERR_LOG_CLOSED`, `ERR_INTERNAL` - with what is
   * stored of it
   */
  async take(request: IncomingMessage, askForBody: () => void): Promise<PostAnswer> {
    const header = this.#readHeader(request);
    let tally = EMPTY_TALLY;
    const ending = new AbortController();
    this.#open.add(ending);
    try {
      if (this.#isStopping) throw stopping();
      const endTurn = await this.#enter(request, ending);
      try {
        askForBody();
        const bytes = requestBytes(request, this.#parts.limits, this.#parts.edge, ending.signal);
        const answer = await this.#takeOnce(bytes, header, (taken) => {
          tally = taken;
        });
        this.#record.good(tally);
        return answer;
      } finally {
        endTurn();
      }
    } catch (caught) {
      const error = postError(caught, `/${this.#parts.stream.description.name}`);
      this.#record.bad(error, tally);
      throw withTally(error, tally);
    } finally {
      this.#open.delete(ending);
      // Where it was refused the body may still be waited for, as by what decompresses it.
      ending.abort(ENDED);
    }
  }

  /**
   * Reads no further: what is being read, and what comes from now on, is answered with what is stored of it.
   *
   * @see specs/ingest.md ING-47
   */
  stop(): void {
    this.#isStopping = true;
    for (const ending of this.#open) ending.abort(stopping());
  }

  async #enter({ socket }: IncomingMessage, ending: AbortController): Promise<() => void> {
    const endTelling = onBreakOff(socket, () => ending.abort(errors.ERR_POST_BROKEN_OFF({ bytes: 0 })));
    try {
      return await this.#turns.enter(ending.signal);
    } finally {
      endTelling();
    }
  }

  /** All that can be refused before anything of the body is read. */
  #readHeader({ headers }: IncomingMessage): PostHeader {
    const { stream, tokens, otherTokens, limits } = this.#parts;
    const verdict = judgeToken(headers.authorization, stream.description.name, tokens, otherTokens);
    if ('refusal' in verdict) {
      this.#record.bad(verdict.refusal);
      throw withTally(verdict.refusal, EMPTY_TALLY);
    }
    const refuse = (error: StreamError) => {
      this.#record.bad(error, EMPTY_TALLY);
      return withTally(error, EMPTY_TALLY);
    };
    const { 'content-type': contentType = '', 'content-encoding': contentEncoding } = headers;
    const format = postedFormat(contentType);
    if (!format) throw refuse(errors.ERR_POST_TYPE({ contentType, offered: ACCEPT_POST }));
    const encoding = postedEncoding(contentEncoding);
    if (!encoding) {
      const offered = ACCEPTED_ENCODINGS;
      throw refuse(errors.ERR_POST_ENCODING({ contentEncoding: contentEncoding as string, offered }));
    }
    if (Number(headers['content-length'] ?? 0) > limits.limitBodyBytes) {
      throw refuse(errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyBytes', value: limits.limitBodyBytes }));
    }
    try {
      return { token: verdict.index, format, encoding, key: readIdempotencyKey(headers['idempotency-key']) };
    } catch (error) {
      throw isStreamError(error) ? refuse(error) : error;
    }
  }

  async #takeOnce(
    sent: AsyncIterable<Buffer>,
    header: PostHeader,
    onTaken: (tally: PostTally) => void,
  ): Promise<PostAnswer> {
    const { format, encoding, key, token } = header;
    const bytes = bodyBytes(sent, encoding, this.#parts.limits.limitBodyBytes);
    if (key === undefined) return this.#answer(await this.#store(bytes, format, onTaken));
    const scope = String(token);
    const before = this.#keys.begin(scope, key);
    const hash = createHash('sha256').update(`${format}\n`);
    const hashed = hashing(bytes, (piece) => hash.update(piece));
    if (before) {
      for await (const _ of hashed);
      if (hash.digest('base64') !== before.bodyHash) throw errors.ERR_POST_KEY_REUSED({ key });
      return before.answer;
    }
    let answer: PostAnswer | undefined;
    try {
      answer = this.#answer(await this.#store(hashed, format, onTaken));
      return answer;
    } finally {
      this.#keys.settle(scope, key, answer && { bodyHash: hash.digest('base64'), answer });
    }
  }

  async #store(
    bytes: AsyncIterable<Buffer>,
    format: PostedFormat,
    onTaken: (tally: PostTally) => void,
  ): Promise<PostTally> {
    const { stream, limits, validate, isOwnIri } = this.#parts;
    const { description } = stream;
    const intake = new PostIntake({ description, limits, commits: this.#commits, validate, isOwnIri });
    const reader = this.#reader(format);
    try {
      for await (const text of bodyText(bytes)) {
        for await (const member of reader.take(text)) {
          const wait = intake.take(member);
          if (wait) await wait;
        }
        // Others are to get their turn, however fast the body comes.
        await setImmediate();
      }
      for await (const member of reader.end()) await intake.take(member);
      await intake.end();
    } finally {
      await intake.abandon();
      onTaken(intake.tally);
    }
    return intake.tally;
  }

  #reader(format: PostedFormat): MemberReader {
    const { limits, contexts, random } = this.#parts;
    switch (format) {
      case 'jsonld':
        return new DocumentReader({ limits, contexts });
      case 'ndjson':
        return new LineDocumentReader({ limits, contexts });
      default:
        return new StatementReader(format, limits, random);
    }
  }

  #answer(tally: PostTally): PostAnswer {
    const { before, cursor } = tally;
    const body = toldTally(tally);
    if (!before || !cursor) return { status: 200, headers: {}, body };
    const { pages } = streamUrls(this.#parts.stream.description);
    const headers = {
      location: `${pages}?after=${formatCursor(before)}`,
      [httpFields.cursor]: formatCursor(cursor),
    };
    return { status: 201, headers, body };
  }
}

/** How soon another server may stand in the place of one that is stopping, seconds. */
const STOPPING_SECONDS = 5;

function stopping(): StreamError {
  return errors.ERR_POST_STOPPING({ retryAfterSeconds: STOPPING_SECONDS });
}

async function* hashing(bytes: AsyncIterable<Buffer>, onPiece: (piece: Buffer) => void): AsyncIterable<Buffer> {
  for await (const piece of bytes) {
    onPiece(piece);
    yield piece;
  }
}

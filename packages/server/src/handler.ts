/*
 * Everything that is asked of a server of streams, in one place; Fastify is not needed for it.
 *
 *   handle(request, response) -> true: it is or will be answered; false: no URL of ours (Fastify or a 404 goes on)
 *   1 resolve   '/vehicles/latest' -> { kind: 'document', stream, document, counted: 'latest' }
 *   2 answer    http/answer.ts | push | ingest | health and metrics
 *   3 count, and log what failed on this side
 *
 * What is ready is answered before handle() returns: no promise, no URL object, no Fastify request.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isStreamError } from '@ldes-live/rdf-stream';
import { DocumentCache } from './documents/cache.ts';
import { catalogDocument, catalogPage, entryPoints } from './documents/catalog.ts';
import { shapeUrl } from './documents/descriptions.ts';
import { type Found, type RequestKind, type StreamDocument, streamUrls } from './documents/document.ts';
import { errors } from './errors.ts';
import {
  type Answer,
  type AnswerContext,
  descriptionAnswer,
  documentAnswer,
  methodsOf,
  pageAnswer,
  plainAnswer,
  preflightAnswer,
  redirectAnswer,
  writeAnswer,
} from './http/answer.ts';
import { HeaderBlocks, IMMUTABLE_CACHE_CONTROL, latestFields, linkHeader } from './http/caching.ts';
import { OFFERED_MEDIA_TYPES, preferredMediaType } from './http/negotiate.ts';
import { pathOf, statusOf, toAnswerable, writeProblem } from './http/problem.ts';
import { ACCEPT_POST, drainRequest } from './ingest/body.ts';
import type { Logger } from './logging.ts';
import { RequestCounts } from './metrics.ts';
import {
  checkLimits,
  DEFAULT_LIMIT_URL_BYTES,
  type LatestFields,
  type LiveStream,
  type LiveStreamsOptions,
} from './options.ts';
import { Status, type StatusAnswer } from './status.ts';
import { type OpenStream, OpenStreams } from './streams.ts';
import { type Target, Targets, type ViewTarget } from './targets.ts';

const MIB = 1024 * 1024;

/** Answers what is asked of some streams. */
export interface StreamHandler {
  /**
   * Answers a request for one of its URLs: ready documents before it returns.
   *
   * @param extraFields - header fields of an app around, by lower-case name: they count before those of the answer
   * @returns `false` where nothing is done, since it is not such a URL
   */
  handle(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): boolean;
  /** Answers by a problem what nobody takes: 404, or 405 for a method that documents do not have. */
  refuse(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): void;
  /** Counts an answer that somebody else gave beside the streams. */
  count(status: number): void;
  /** Longest URL, path and query together, bytes. */
  readonly limitUrlBytes: number;
  readonly latestFields: LatestFields;
  /** Open push connections in this process, of all streams. */
  readonly pushConnections: number;
  /** Those of all streams, workers included. */
  countConnections(): Promise<number>;
  /** See {@link Workers.attach}. */
  readonly attachWorker: OpenStreams['workers']['attach'];
  /**
   * Has these streams from now on. One that differs from what is open under its name in nothing but its sources, `updates`
   * or `schedule` stays open with its readers; any other change ends it and opens it anew.
   *
   * @returns once the readers of what is gone have been sent away, over the grace period at most
   * @throws {@link StreamError} those of {@link createHandler} on streams: then none has come or gone
   */
  setStreams(streams: readonly LiveStream[]): Promise<void>;
  /** Turns `/health` unready, ends push streams over the grace period, and reads no further posts; once is enough. */
  drain(): Promise<void>;
  /**
   * Begins to publish from the sources of the streams, and to keep their retention; resolves once those of empty logs have
   * been polled, after 3 s at the latest: a reader who comes before would take an empty stream for the state of things.
   */
  start(): Promise<void>;
  /** Ends that, and lets go of everything that it opened. */
  close(): Promise<void>;
}

/** One request on its way to an answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly extraFields: OutgoingHttpHeaders | undefined;
  /** Where its answer is counted. */
  readonly counts: RequestCounts;
  kind: RequestKind;
}

/**
 * Makes the handler of some streams.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT`, `ERR_TOKEN_HASH`, `ERR_SHAPE_UNUSABLE`
 */
export async function createHandler(options: LiveStreamsOptions, logger: Logger): Promise<StreamHandler> {
  const { limitUrlBytes = DEFAULT_LIMIT_URL_BYTES, limitPendingBuilds = 64, limitKeptBytes = 64 * MIB } = options;
  checkLimits({ limitUrlBytes, limitPendingBuilds, limitKeptBytes });
  const streams = new OpenStreams(options, logger);
  try {
    await streams.set(options.streams);
  } catch (error) {
    await streams.close();
    throw error;
  }
  return new Handler(options, streams, logger);
}

const NO_QUERY = new URLSearchParams();

class Handler implements StreamHandler {
  readonly limitUrlBytes: number;
  readonly latestFields: LatestFields;
  readonly #streams: OpenStreams;
  readonly #logger: Logger;
  readonly #documents: AnswerContext;
  readonly #targets: Targets;
  readonly #catalogPage: () => string;
  readonly #catalog: StreamDocument;
  readonly #status: Status;
  readonly #requests = new RequestCounts();

  constructor(options: LiveStreamsOptions, streams: OpenStreams, logger: Logger) {
    const { publicUrl, clock = Date.now, random = Math.random } = options;
    const { limitUrlBytes = DEFAULT_LIMIT_URL_BYTES, limitPendingBuilds = 64, limitKeptBytes = 64 * MIB } = options;
    const { push, workers, environment } = streams;
    const { prefixes, settings, lines, vocabularies } = environment;
    this.limitUrlBytes = limitUrlBytes;
    this.#streams = streams;
    this.#logger = logger;
    const representations = new DocumentCache({
      prefixes,
      limitBytes: limitKeptBytes,
      limitPendingBuilds,
      random,
      lines,
    });
    this.#documents = { representations, headerBlocks: new HeaderBlocks(), clock };
    this.#catalogPage = () => catalogPage(publicUrl, streams.all);
    this.#catalog = catalogDocument(publicUrl, () => streams.all);
    this.#targets = new Targets(streams.byName, publicUrl, vocabularies);
    this.#status = new Status({
      ...{ push, streams: () => streams.all, requests: this.#requests, settings, clock },
      workers: () => workers.reports(),
    });
    this.latestFields = (name, shown) => {
      const stream = streams.byName.get(name);
      if (!stream) throw new TypeError(`There is no stream ${name}.`);
      return latestFields(stream, shown, clock());
    };
  }

  handle(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): boolean {
    const { url = '' } = request;
    if (url.length > this.limitUrlBytes) {
      this.refuse(request, response, extraFields);
      return true;
    }
    const target = this.#targets.resolve(url);
    if (!target || target.kind === 'unknown') return false;
    const exchange = this.#exchange(request, response, extraFields, target);
    const { method } = request;
    try {
      if (method !== 'GET' && method !== 'HEAD') this.#otherMethod(exchange, target);
      else if (target.kind === 'events') this.#events(exchange, target.stream);
      else {
        this.#send(exchange, this.#answer(exchange, target));
        // Content of such a request means nothing; it is dropped, so that the connection can be used on.
        if (hasContent(request)) drainRequest(request, response, this.#streams.sleep);
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
    return true;
  }

  refuse(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): void {
    const { url = '', method = '' } = request;
    const target = this.#targets.resolve(url);
    const stream = target && 'stream' in target ? target.stream : undefined;
    const exchange = this.#exchange(request, response, extraFields, target);
    const { limitUrlBytes } = this;
    if (url.length > limitUrlBytes) this.#fail(exchange, errors.ERR_URL_TOO_LONG({ bytes: url.length, limitUrlBytes }));
    else if (target && method !== 'GET' && method !== 'HEAD') this.#otherMethod(exchange, target);
    else if (stream) this.#fail(exchange, unknownDocument(url, stream));
    else {
      const known = this.#streams.all.map(({ description }) => description.url);
      this.#fail(exchange, errors.ERR_STREAM_UNKNOWN({ path: pathOf(url), known }));
    }
  }

  async setStreams(streams: readonly LiveStream[]): Promise<void> {
    await this.#streams.set(streams, (gone) => {
      this.#targets.forget();
      for (const { description } of gone) this.#documents.representations.forget(description.url);
    });
  }

  count(status: number): void {
    this.#requests.add('other', status);
  }

  get pushConnections(): number {
    return this.#streams.push.admission.size;
  }

  async countConnections(): Promise<number> {
    // Of the moment in which it is asked for, as those of the workers are.
    const { pushConnections } = this;
    const elsewhere = await this.#streams.workers.reports();
    return this.#streams.all.reduce(
      (sum, { description }) => sum + elsewhere.connections(description.name),
      pushConnections,
    );
  }

  attachWorker: StreamHandler['attachWorker'] = (...worker) => this.#streams.workers.attach(...worker);

  drain(): Promise<void> {
    if (!this.#status.isStopping) {
      const { shutdownGraceMs: graceMs } = this.#streams.environment.settings;
      // Workers answer this before they are told to send anybody away.
      void this.countConnections().then((connections) => this.#logger.info({ connections, graceMs }, 'draining'));
    }
    this.#status.isStopping = true;
    return this.#streams.drain();
  }

  start(): Promise<void> {
    return this.#streams.start();
  }

  close(): Promise<void> {
    this.#status.close();
    return this.#streams.close();
  }

  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    extraFields: OutgoingHttpHeaders | undefined,
    target: Target | undefined,
  ): Exchange {
    const counts = (target && 'stream' in target ? target.stream?.requests : undefined) ?? this.#requests;
    return { request, response, extraFields, counts, kind: 'other' };
  }

  /** The answer to GET or HEAD. */
  #answer(exchange: Exchange, target: Exclude<Target, { kind: 'events' }>): Answer | Promise<Answer> {
    const { request } = exchange;
    const { representations } = this.#documents;
    switch (target.kind) {
      case 'view':
        return this.#viewAnswer(exchange, target);
      case 'shape':
        return descriptionAnswer(request, target.stream.shapeDocument, representations, linkHeader(target.stream));
      case 'description':
        return descriptionAnswer(request, target.document, representations);
      case 'bytes':
        return plainAnswer(200, target.mediaType, target.bytes, IMMUTABLE_CACHE_CONTROL);
      case 'redirect':
        return redirectAnswer(target.url);
      case 'catalog':
        exchange.kind = 'catalog';
        // JSON-LD before HTML: only who asks for HTML by name gets it.
        return preferredMediaType(request.headers.accept, [...OFFERED_MEDIA_TYPES, 'text/html']) === 'text/html'
          ? pageAnswer(request, this.#catalogPage())
          : descriptionAnswer(request, this.#catalog, representations);
      case 'health':
        return this.#status.health().then(statusAnswer);
      case 'metrics':
        return this.#status.metrics().then(statusAnswer);
      default:
        throw new TypeError(`There is nothing at ${request.url}.`);
    }
  }

  #viewAnswer(exchange: Exchange, target: ViewTarget): Answer | Promise<Answer> {
    const found = target.view.find(target.rest, queryOf(exchange.request.url as string));
    const answer =
      found instanceof Promise
        ? found.then((later) => this.#foundAnswer(exchange, target, later))
        : this.#foundAnswer(exchange, target, found);
    return answer instanceof Promise ? answer.catch((error) => this.#answerAgain(exchange, target, error)) : answer;
  }

  #foundAnswer(exchange: Exchange, { stream }: ViewTarget, found: Found | undefined): Answer | Promise<Answer> {
    const { request } = exchange;
    if (!found) throw unknownDocument(request.url as string, stream);
    if (found.kind === 'redirect') return redirectAnswer(found.url);
    exchange.kind = found.counted;
    return documentAnswer(request, stream, found.document, this.#documents);
  }

  /** Retention may erase a page while it is made: another document has taken its place. */
  async #answerAgain(exchange: Exchange, target: ViewTarget, error: unknown): Promise<Answer> {
    if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
    const found = await target.view.find(target.rest, queryOf(exchange.request.url as string));
    return this.#foundAnswer(exchange, target, found);
  }

  #events(exchange: Exchange, { description }: OpenStream): void {
    const { request, response, counts } = exchange;
    const count = () => {
      // A client that went while it waited was not answered. The header of a stream goes past the response.
      if (response.writableEnded || !isGone(response)) counts.add('events', response.statusCode);
    };
    exchange.kind = 'events';
    this.#streams.push
      .serve(description.name, { request, response })
      .then(count, (error: unknown) => this.#fail(exchange, error));
  }

  /** What is neither GET nor HEAD. */
  #otherMethod(exchange: Exchange, target: Target): void {
    const { request, response, extraFields } = exchange;
    const { method = '', url = '' } = request;
    const post =
      target.kind === 'view' && target.rest === '' && target.view.path === '' ? target.stream.post() : undefined;
    if (method === 'POST' && post && target.kind === 'view') {
      void post.answer(request, response, extraFields).then(() => exchange.counts.add('post', response.statusCode));
      return;
    }
    if (method === 'OPTIONS') this.#send(exchange, preflightAnswer(post && ACCEPT_POST));
    else {
      const fields = { allow: methodsOf(post !== undefined), ...extraFields };
      this.#fail({ ...exchange, extraFields: fields }, errors.ERR_METHOD({ method, path: pathOf(url) }));
    }
  }

  #send(exchange: Exchange, answer: Answer | Promise<Answer>): void {
    if (answer instanceof Promise) {
      answer.then((made) => this.#send(exchange, made)).catch((error: unknown) => this.#fail(exchange, error));
      return;
    }
    const { response, extraFields, counts, kind } = exchange;
    writeAnswer(response, answer, extraFields);
    counts.add(kind, answer.status);
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    const { request, response, extraFields, counts, kind } = exchange;
    const error = toAnswerable(thrown, request.url ?? '');
    this.#log(exchange, error);
    // An answer that has begun cannot become another.
    if (response.headersSent) response.destroy();
    else writeProblem(response, error, extraFields);
    counts.add(kind, statusOf(error));
  }

  /** Logs what whoever runs the server has to know. */
  #log({ request }: Exchange, error: Error & { readonly code: string }): void {
    const fields = { method: request.method, path: pathOf(request.url ?? ''), err: error.cause ?? error };
    const { lines } = this.#streams.environment;
    if (error.code === 'ERR_INTERNAL') lines.error({ code: error.code, ...fields }, 'request failed');
  }
}

function hasContent({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return (length !== undefined && length !== '0') || coding !== undefined;
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : new URLSearchParams(url.slice(start));
}

function statusAnswer({ status, mediaType, body }: StatusAnswer): Answer {
  return plainAnswer(status, mediaType, Buffer.from(body));
}

function isGone(response: ServerResponse): boolean {
  // Of HTTP/2, where the response does not know.
  if ('stream' in response) return (response.stream as { readonly destroyed: boolean }).destroyed;
  return response.destroyed || response.socket === null;
}

function unknownDocument(url: string, stream: OpenStream) {
  const { events } = streamUrls(stream.description);
  const known = [...entryPoints(stream).map((entry) => entry.url), shapeUrl(stream.description), events];
  return errors.ERR_DOCUMENT_UNKNOWN({ path: pathOf(url), known });
}

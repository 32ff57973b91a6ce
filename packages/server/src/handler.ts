/*
 * Everything that is asked of a server of streams, in one place; Fastify is not needed for it.
 *
 *   handle(request, response) -> true: it is or will be answered; false: no URL of ours (Fastify or a 404 goes on)
 *   1 resolve   '/vehicles/pages/k3x9a/7?x' -> { stream: vehicles, answer: what its root view finds at 'pages/k3x9a/7' }
 *               'http://host.example/vehicles/events' -> { stream: vehicles, answer: push }
 *               '/nonsense' -> undefined
 *   2 answer    http/answer.ts | push | ingest | health and metrics
 *   3 count, and log what failed on this side
 *
 * What is ready is answered before handle() returns: no promise, no URL object, no Fastify request. URLs are matched as
 * they are written, then without the path of the public URL; only unreserved characters in the first two segments are
 * decoded (RFC 3986, 6.2.2.2).
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isStreamError } from '@ldes-live/rdf-stream';
import { hasLaterState } from './documents/ahead.ts';
import { DocumentCache } from './documents/cache.ts';
import { catalogDocument } from './documents/catalog.ts';
import type { Found, View } from './documents/document.ts';
import { errors } from './errors.ts';
import { type Exchange, type Given, isGone, permittedAnswer, unknownDocument } from './exchange.ts';
import {
  type Answer,
  type AnswerContext,
  descriptionAnswer,
  documentAnswer,
  methodsOf,
  preflightAnswer,
  redirectAnswer,
  vocabularyAnswers,
  writeAnswer,
} from './http/answer.ts';
import { HeaderBlocks, latestFields, linkHeader } from './http/caching.ts';
import { normalPath, prefersHtml, queryOf } from './http/negotiate.ts';
import { answersByPage, answersOfPages } from './http/page.ts';
import { answerableError, pathOf, statusOf, writeProblem } from './http/problem.ts';
import { ACCEPT_POST, dropContent } from './ingest/body.ts';
import type { Logger, RepeatedLines } from './logging.ts';
import { RequestCounts, type WorkerReport } from './metrics.ts';
import {
  type CompleteOptions,
  completeOptions,
  type LatestFields,
  type LiveStreamsOptions,
  type Pages,
} from './options.ts';
import { Status } from './status.ts';
import { type OpenStream, OpenStreams } from './streams.ts';

/** What is at a URL. */
interface Target {
  /** Whose it is; absent of what is beside the streams. */
  readonly stream?: OpenStream;
  /** Answers GET and HEAD, or gives what answers them; absent where there is nothing, below a stream or a path of ours. */
  readonly answer?: (exchange: Exchange) => Given;
  /** Whether members are posted to it, where its stream takes any. @defaultValue false */
  readonly isRoot?: boolean;
}

/** A path below a view of a stream. */
interface Place {
  readonly stream: OpenStream;
  readonly view: View;
  readonly rest: string;
}

/** How many URLs to remember. */
const LIMIT_REMEMBERED = 256;

/**
 * Makes the handler of some streams.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT`, `ERR_TOKEN_HASH`, `ERR_SHAPE_UNUSABLE`
 */
export async function createHandler(given: LiveStreamsOptions, logger: Logger): Promise<StreamHandler> {
  const options = completeOptions(given);
  const streams = new OpenStreams(options, logger);
  try {
    await streams.set(options.streams);
  } catch (error) {
    await streams.close();
    throw error;
  }
  return new StreamHandler(options, streams, logger);
}

/** Answers what is asked of some streams. */
export class StreamHandler {
  /** Longest URL, path and query together, bytes. */
  readonly limitUrlBytes: number;
  readonly latestFields: LatestFields;
  /** Where faults of requests are logged. */
  readonly lines: RepeatedLines;
  /** See {@link Workers.attach}. */
  readonly attachWorker: OpenStreams['workers']['attach'];
  readonly #streams: OpenStreams;
  readonly #logger: Logger;
  readonly #documents: AnswerContext;
  readonly #pages: Pages | undefined;
  /** What is beside the streams, by path. */
  readonly #places: ReadonlyMap<string, Target>;
  /** Documents that were asked for lately: pollers ask for the same ones again and again. */
  readonly #remembered = new Map<string, Target>();
  /** Path of the public URL, without the slash at its end: as it is written, and as URLs are compared. */
  readonly #basePaths: readonly string[];
  readonly #status: Status;
  readonly #requests = new RequestCounts();

  /** Drops the content of what is not a post. @see specs/ingest.md ING-62 */
  readonly dropContent = (request: IncomingMessage, response: ServerResponse): void =>
    dropContent(request, response, this.#streams.sleep);

  constructor(options: CompleteOptions, streams: OpenStreams, logger: Logger) {
    const { limitUrlBytes, limitPendingBuilds, limitKeptBytes: limitBytes, clock, random } = options;
    const { prefixes, lines } = streams;
    this.limitUrlBytes = limitUrlBytes;
    const basePath = new URL(options.publicUrl).pathname.slice(0, -1);
    this.#basePaths = [basePath, normalPath(basePath)];
    this.lines = lines;
    this.#streams = streams;
    this.#logger = logger;
    const representations = new DocumentCache({ prefixes, limitBytes, limitPendingBuilds, random, lines });
    this.#documents = { representations, headerBlocks: new HeaderBlocks(), clock };
    this.#pages = options.pages;
    this.#status = new Status(streams, this.#requests, clock);
    this.#places = new Map(this.#placesOf(options.publicUrl));
    this.attachWorker = (...worker) => streams.workers.attach(...worker);
    this.latestFields = (name, shown) => {
      const stream = streams.byName.get(name);
      if (!stream) throw new TypeError(`Unknown stream ${name}.`);
      return latestFields(stream, shown, clock());
    };
  }

  /**
   * Answers a request for one of its URLs: ready documents before it returns.
   *
   * @param extraFields - header fields of an app around, by lower-case name: they count before those of the answer
   * @returns `false` where nothing is done, since it is not such a URL
   */
  handle(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): boolean {
    const { url = '', method } = request;
    if (this.#isOfOwner(request) && this.#passOn(request, response)) return true;
    if (url.length > this.limitUrlBytes) {
      this.refuse(request, response, extraFields);
      return true;
    }
    const target = this.#resolve(url);
    const exchange = this.#exchange(request, response, extraFields, target);
    try {
      if (!target?.answer) return answersOfPages(this.#pages, exchange, (path) => this.withoutBase(path));
      if (method !== 'POST') this.dropContent(request, response);
      if (method !== 'GET' && method !== 'HEAD') this.#otherMethod(exchange, target);
      else {
        const answer = permittedAnswer(exchange, target.stream, target.answer);
        if (answer) this.#send(exchange, answer);
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
    return true;
  }

  /** Whether a worker leaves a request to the process that has the logs, as far as its URL tells. */
  #isOfOwner({ url = '', method, headers }: IncomingMessage): boolean {
    if (!this.#streams.node?.cluster.owner) return false;
    const isRead = (method === 'GET' || method === 'HEAD') && url.length <= this.limitUrlBytes;
    const { stream, answer, isRoot } = (isRead && this.#resolve(url)) || {};
    // There may be a page for who prefers that.
    return !stream || !answer || (isRoot === true && prefersHtml(headers.accept));
  }

  #passOn(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#streams.node?.passToOwner(request, response) ?? false;
  }

  /** Answers by a problem what nobody takes: 404, or 405 for a method that documents do not have. */
  refuse(request: IncomingMessage, response: ServerResponse, extraFields?: OutgoingHttpHeaders): void {
    const { url = '', method = '' } = request;
    const target = this.#resolve(url);
    const exchange = this.#exchange(request, response, extraFields, target);
    const { limitUrlBytes } = this;
    this.dropContent(request, response);
    if (url.length > limitUrlBytes) this.#fail(exchange, errors.ERR_URL_TOO_LONG({ bytes: url.length, limitUrlBytes }));
    else if (target && method !== 'GET' && method !== 'HEAD') this.#otherMethod(exchange, target);
    else if (target?.stream) {
      const { stream } = target;
      // Who may not read it is not told what there is.
      const unknown = () => Promise.reject(unknownDocument(url, stream));
      this.#send(
        exchange,
        Promise.resolve().then(() => permittedAnswer(exchange, stream, unknown)),
      );
    } else {
      const known = this.#public.map(({ description }) => description.url);
      this.#fail(exchange, errors.ERR_STREAM_UNKNOWN({ path: pathOf(url), known }));
    }
  }

  /**
   * Has these streams from now on. One that differs from what is open under its name in nothing but its sources,
   * `updates`, `schedule` or `ingest` stays open with its readers; any other change ends it and opens it anew.
   *
   * @returns once the readers of what is gone have been sent away, over the grace period at most
   * @throws {@link StreamError} those of {@link createHandler} on streams: then none has come or gone
   */
  async setStreams(streams: LiveStreamsOptions['streams']): Promise<void> {
    await this.#streams.set(streams, (gone) => {
      this.#remembered.clear();
      for (const { description } of gone) this.#documents.representations.forget(description.url);
    });
  }

  /** The stream to which the URL of a request belongs, if any. */
  streamAt({ url = '' }: IncomingMessage): OpenStream | undefined {
    return this.#resolve(url)?.stream;
  }

  /** A URL without the path of the public one, which a proxy may take away, or leave. */
  withoutBase(url: string): string {
    const base = this.#basePaths.find((path) => url.startsWith(`${path}/`)) ?? '';
    return url.slice(base.length);
  }

  /** Counts an answer that somebody else gave beside the streams. */
  count(status: number): void {
    this.#requests.add('other', status);
  }

  /** Open push connections in this process, of all streams. */
  get pushConnections(): number {
    return this.#streams.push.admission.size;
  }

  /** Those of all streams, workers included. */
  countConnections(): Promise<number> {
    return this.#streams.countConnections();
  }

  /** As a worker, what this process counts. */
  report(): WorkerReport {
    return this.#status.report();
  }

  /** Turns `/health` unready, ends push streams over the grace period, and reads no further posts; once is enough. */
  drain(): Promise<void> {
    if (!this.#status.isStopping) {
      const { shutdownGraceMs: graceMs } = this.#streams.settings;
      // Workers answer this before they are told to send anybody away.
      void this.countConnections().then((connections) => this.#logger.info({ connections, graceMs }, 'draining'));
    }
    this.#status.isStopping = true;
    return this.#streams.drain();
  }

  /**
   * Begins to publish from the sources of the streams, and to keep their retention; resolves once those of empty logs have
   * been polled, after 3 s at the latest: a reader who comes before would take an empty stream for the state of things.
   */
  start(): Promise<void> {
    return this.#streams.start();
  }

  /** Ends that, and lets go of everything that it opened. */
  close(): Promise<void> {
    this.#status.close();
    return this.#streams.close();
  }

  /** Those that everybody may know of. */
  get #public(): readonly OpenStream[] {
    return this.#streams.all.filter(({ refusal }) => !refusal);
  }

  #placesOf(publicUrl: string): [string, Target][] {
    const { representations } = this.#documents;
    const catalog = catalogDocument(publicUrl, () => this.#public);
    const catalogAnswer = (exchange: Exchange) => {
      exchange.kind = 'catalog';
      return answersByPage(this.#pages, exchange, '/')
        ? undefined
        : descriptionAnswer(exchange.request, catalog, representations);
    };
    return [
      ['/', { answer: catalogAnswer }],
      ['/health', { answer: ({ request }) => this.#status.health(request) }],
      ['/metrics', { answer: ({ request }) => this.#status.metrics(request) }],
      ...vocabularyAnswers(publicUrl, this.#streams.vocabularies, representations),
    ];
  }

  /** What is at a request target; `undefined` where it is of nothing here. */
  #resolve(url: string): Target | undefined {
    const known = this.#remembered.get(url);
    if (known) return known;
    const path = normalPath(url);
    const target = this.#at(path, url);
    const below = this.withoutBase(path);
    return target?.answer || below === path ? target : (this.#at(below, url) ?? target);
  }

  #at(path: string, url: string): Target | undefined {
    const end = path.indexOf('/', 1);
    const stream = this.#streams.byName.get(end < 0 ? path.slice(1) : path.slice(1, end));
    if (!stream) return this.#places.get(path) ?? (path.startsWith('/ns/') ? {} : undefined);
    const { viewsByPath } = stream;
    const root = viewsByPath.get('') as View;
    if (end < 0) return this.#view(url, { stream, view: root, rest: '' });
    const below = path.slice(end + 1);
    if (below === 'events') return { stream, answer: (exchange) => this.#events(exchange, stream) };
    if (below === 'shape') return { stream, answer: ({ request }) => this.#shape(request, stream) };
    const next = below.indexOf('/');
    const segment = next < 0 ? below : below.slice(0, next);
    const view = segment === 'pages' ? root : viewsByPath.get(segment);
    const rest = view === root ? below : below.slice(segment.length + 1);
    // A slash at the end makes another URL, at which there is nothing.
    if (!view || segment === '' || (next >= 0 && rest === '')) return { stream };
    return this.#view(url, { stream, view, rest });
  }

  /** What a view has at a path below it; `rest` is as it was asked for. */
  #view(url: string, place: Place): Target {
    const { stream, view, rest } = place;
    const isRoot = view.path === '' && rest === '';
    const find = (exchange: Exchange) => this.#find(exchange, place);
    const pageOrFind = (exchange: Exchange) =>
      answersByPage(this.#pages, exchange, `/${stream.description.name}`) ? undefined : find(exchange);
    // A browser sends no token for a page.
    const hasPage = isRoot && this.#pages && !stream.refusal;
    const target = { stream, isRoot, answer: hasPage ? pageOrFind : find };
    if (this.#remembered.size >= LIMIT_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(url, target);
    return target;
  }

  #find(exchange: Exchange, place: Place): Given {
    const { stream, view, rest } = place;
    const found = view.find(rest, queryOf(exchange.request.url as string));
    const answer =
      found instanceof Promise
        ? found.then((later) => this.#found(exchange, stream, later))
        : this.#found(exchange, stream, found);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch(async (error) => {
      // Retention may erase a page while it is made: another document has taken its place.
      if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
      return this.#found(exchange, stream, await view.find(rest, queryOf(exchange.request.url as string)));
    });
  }

  #found(exchange: Exchange, stream: OpenStream, found: Found | undefined): Given {
    const { request } = exchange;
    if (!found) throw unknownDocument(request.url as string, stream);
    if (found.kind === 'redirect') return redirectAnswer(found.url);
    exchange.kind = found.counted;
    // Those the process that has the logs has on its disk.
    if (found.document.state().disk && this.#passOn(request, exchange.response)) return undefined;
    const { node } = this.#streams;
    const answer = () => documentAnswer(request, stream, found.document, this.#documents);
    const isLater = node && hasLaterState(request.headers['if-none-match'], stream.log.head.cursor);
    return isLater ? node.caughtUp(stream.log).then(answer) : answer();
  }

  #shape(request: IncomingMessage, stream: OpenStream): Promise<Answer> {
    return descriptionAnswer(request, stream.shapeDocument, this.#documents.representations, linkHeader(stream));
  }

  /** Push writes its answer by itself. */
  #events(exchange: Exchange, { description }: OpenStream): undefined {
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
  #otherMethod(exchange: Exchange, { stream, isRoot }: Target): void {
    const { request, response, extraFields, counts } = exchange;
    const { method = '', url = '' } = request;
    const post = isRoot ? stream?.post() : undefined;
    if (!post) this.dropContent(request, response);
    if (method === 'POST' && post) {
      exchange.kind = 'post';
      const count = () => counts.add('post', response.statusCode);
      if (this.#streams.node?.passOn(request, response, count)) return;
      post.answer(request, response, extraFields).then(count, (error: unknown) => this.#fail(exchange, error));
    } else if (method === 'OPTIONS') this.#send(exchange, preflightAnswer(post && ACCEPT_POST));
    else {
      const fields = { allow: methodsOf(post !== undefined), ...extraFields };
      this.#fail({ ...exchange, extraFields: fields }, errors.ERR_METHOD({ method, path: pathOf(url) }));
    }
  }

  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    extraFields: OutgoingHttpHeaders | undefined,
    target: Target | undefined,
  ): Exchange {
    const counts = target?.stream?.requests ?? this.#requests;
    return { request, response, extraFields, counts, kind: 'other' };
  }

  #send(exchange: Exchange, answer: Given): void {
    if (!answer) return;
    if (answer instanceof Promise) {
      answer.then((made) => this.#send(exchange, made)).catch((error: unknown) => this.#fail(exchange, error));
      return;
    }
    const { response, extraFields, counts, kind } = exchange;
    writeAnswer(response, answer, extraFields);
    counts.add(kind, answer.status);
  }

  #fail({ request, response, extraFields, counts, kind }: Exchange, thrown: unknown): void {
    // What a worker cannot answer, the process that has the logs may, or knows why not.
    if (kind !== 'events' && isStreamError(thrown) && this.#passOn(request, response)) return;
    const error = answerableError(thrown, request, this.lines);
    writeProblem(response, error, extraFields);
    counts.add(kind, statusOf(error));
  }
}

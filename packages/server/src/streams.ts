/*
 * The streams that a server publishes, each with all that it has open: documents, push, posts, schedule.
 *
 *   LiveStream { description, log, sources, ingest } ->
 *   OpenStream { name: 'vehicles', views: { '', 'latest', 'tiles', 'entities' }, push source, posts, counts of requests }
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { formatCursor, prefixes } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { awaitedView } from './documents/ahead.ts';
import {
  descriptionDocument,
  liveVocabulary,
  memberShapeQuads,
  shapeUrl,
  vocabularyContext,
} from './documents/descriptions.ts';
import type { StreamDocument, View } from './documents/document.ts';
import { entityView, latestView } from './documents/latest.ts';
import { MemberTexts } from './documents/member-texts.ts';
import { TimeView } from './documents/pages.ts';
import { placeView } from './documents/tiles.ts';
import { errors } from './errors.ts';
import { type PostEndpoint, PostEndpoints } from './ingest/endpoint.ts';
import { type Logger, RepeatedLines } from './logging.ts';
import { CommitCounts, RequestCounts } from './metrics.ts';
import {
  type CompleteOptions,
  checkStreams,
  type LiveStream,
  type PushSettings,
  type ScheduledStream,
  type Vocabulary,
  type WatchedSources,
} from './options.ts';
import { Workers } from './owner.ts';
import { type Publication, publishStream, startPublications } from './publish.ts';
import { EncodedCommits } from './push/encoded-commits.ts';
import { PushEndpoint, type PushedStream } from './push/endpoint.ts';
import { Snapshots } from './push/snapshots.ts';
import { type Refusal, refusalOf } from './readers.ts';
import { ServerNode } from './server-node.ts';
import { WorkTurns } from './work-turns.ts';

/** Resolves after so many milliseconds, or rejects once the signal is aborted. */
type Sleep = (durationMs: number, signal: AbortSignal) => Promise<undefined>;

const sleep: Sleep = (durationMs, signal) => setTimeout(durationMs, undefined, { signal });

/** A stream as it is answered. */
export interface OpenStream extends ScheduledStream, WatchedSources {
  readonly breakEvenSeconds: number;
  readonly contextUrls: readonly string[];
  readonly texts: MemberTexts;
  readonly views: readonly View[];
  readonly requests: RequestCounts;
  readonly commits: CommitCounts;
  /** What takes its posts now; `undefined` where it takes none. */
  readonly post: () => PostEndpoint | undefined;
  /** Its views by the path segment at which they stand; the root has the empty one. */
  readonly viewsByPath: ReadonlyMap<string, View>;
  readonly shapeDocument: StreamDocument;
  /** Why who sends these fields may not read it; absent of a public stream. */
  readonly refusal?: Refusal;
  readonly publication: Publication;
  readonly pushed: PushedStream & { readonly commits: EncodedCommits };
}

type CompletedStream = LiveStream & { readonly breakEvenSeconds: number };

/** The streams that are open, which may come and go. */
export class OpenStreams {
  readonly settings: PushSettings;
  readonly lines: RepeatedLines;
  readonly prefixes: Readonly<Record<string, string>> = prefixes;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  readonly push: PushEndpoint;
  readonly workers: Workers;
  readonly sleep = sleep;
  /** Absent where this is no node of several. */
  readonly node: ServerNode | undefined;
  readonly #options: CompleteOptions;
  readonly #logger: Logger;
  readonly #byName = new Map<string, OpenStream>();
  readonly #posts: PostEndpoints;
  /** As they were given last. */
  #given: ReadonlyMap<string, LiveStream> = new Map();
  readonly #contextUrls: readonly string[];
  #isStarted = false;
  #setting: Promise<void> = Promise.resolve();
  #drained: Promise<void> | undefined;

  constructor(options: CompleteOptions, logger: Logger) {
    const { publicUrl, clock, random, push: settings } = options;
    const lines = new RepeatedLines(logger, clock);
    this.#options = options;
    this.#logger = logger;
    this.settings = settings;
    this.lines = lines;
    this.vocabularies = { ...options.vocabularies, live: liveVocabulary() };
    this.#contextUrls = Object.entries(this.vocabularies).map(
      ([name, vocabulary]) => vocabularyContext(publicUrl, name, vocabulary).url,
    );
    const { cluster } = options;
    const node = cluster && new ServerNode(cluster, { logger, clock, sleep: options.sleep ?? sleep });
    this.node = node;
    cluster?.describe(() => ({
      streams: Object.fromEntries(
        this.all.map(({ description, publication }) => [description.name, publication.tell()]),
      ),
    }));
    const turns = new WorkTurns(() => performance.now());
    const refusal = (request: IncomingMessage) => node?.refusal(request);
    this.#posts = new PostEndpoints({ clock, sleep, random, log: lines, turns, refusal });
    this.workers = new Workers({ options, streams: () => this.all, sleep });
    // How long something takes, whatever the time of day does meanwhile.
    this.push = new PushEndpoint({ settings, clock: () => performance.now(), random, logger, lines });
  }

  get byName(): ReadonlyMap<string, OpenStream> {
    return this.#byName;
  }

  get all(): readonly OpenStream[] {
    return [...this.#byName.values()];
  }

  /**
   * Has these streams open from now on. One that is as it was, but for its sources, what is stated of its updates, and how
   * it takes posts, stays open with its readers. Nothing changes where one of them cannot be opened. One call is carried out
   * after the other.
   *
   * @param onChange - called with those that have gone, when what is found by a name has changed
   * @returns once the streams that are not among them have ended
   * @throws {@link StreamError} those of `createLiveServer` on streams, `ERR_SERVER_CLOSED`
   */
  set(streams: readonly LiveStream[], onChange: (gone: readonly OpenStream[]) => void = () => {}): Promise<void> {
    const set = this.#setting.then(() =>
      this.#set(
        streams.map((stream) => this.#completed(stream)),
        onChange,
      ),
    );
    // Those who are being sent away do not keep the next call waiting, which may make a stream private.
    this.#setting = set.then(
      () => undefined,
      () => undefined,
    );
    return set.then(({ ended }) => ended);
  }

  /** @returns once the streams have changed, with what resolves when those that are gone have ended */
  async #set(streams: readonly CompletedStream[], onChange: (gone: readonly OpenStream[]) => void) {
    this.#assertOpen();
    checkStreams(this.#options.publicUrl, streams);
    const exchangePosts = await this.#posts.prepare(streams);
    const kept = new Map<OpenStream, LiveStream>();
    const opened: OpenStream[] = [];
    const exchanged: [Publication, LiveStream][] = [];
    try {
      for (const stream of streams) {
        const open = this.#byName.get(stream.description.name);
        if (open && isSame(open, stream)) kept.set(open, stream);
        else opened.push(await this.#open(stream));
      }
      // Last, since it interrupts what runs.
      for (const [{ publication }, stream] of kept) {
        const before = this.#given.get(stream.description.name) as LiveStream;
        if (isPublishedAlike(before, stream)) continue;
        await publication.exchange(stream);
        exchanged.push([publication, before]);
      }
      this.#assertOpen();
    } catch (error) {
      await discard(opened);
      for (const [publication, before] of exchanged) await publication.exchange(before);
      throw error;
    }
    this.#given = new Map(streams.map((stream) => [stream.description.name, stream]));
    const gone = this.all.filter((stream) => !kept.has(stream));
    // Before others append to the same logs.
    await Promise.all(gone.map(({ publication }) => publication.stop()));
    if (this.#isStarted) await this.#start(opened);
    if (this.#drained) await discard(opened);
    this.#assertOpen();
    exchangePosts();
    for (const { description } of gone) this.#byName.delete(description.name);
    const ended = gone.map(async (stream) => {
      await this.push.end(stream.description.name);
      release(stream);
    });
    for (const stream of opened) {
      this.#byName.set(stream.description.name, stream);
      this.push.open(stream.pushed);
      this.#logOpened(stream);
    }
    onChange(gone);
    this.workers.serve();
    return { ended: Promise.all(ended).then(() => undefined) };
  }

  async #open(stream: CompletedStream): Promise<OpenStream> {
    const { clock, random, limitTextBytes } = this.#options;
    const { prefixes } = this;
    const { description, shape, log, breakEvenSeconds, readers } = stream;
    const refusal = readers && refusalOf(description.name, readers);
    const post = () => this.#posts.get(description.name);
    const publication = await publishStream(stream, {
      ...{ logger: this.#logger, clock, random, sleep: this.#options.sleep ?? sleep },
      posts: () => post()?.health(),
      onPolled: () => this.workers.tell(),
      node: this.node,
    });
    const { schedule, health, sourceState, onSourceState } = publication;
    // Equal shares of the streams that there are at the time.
    const limitBytes = () => limitTextBytes / Math.max(1, this.#byName.size);
    const texts = new MemberTexts(log, { description, prefixes, limitBytes });
    const written = { ...stream, schedule, texts };
    const timeView = new TimeView(written);
    const { node } = this;
    const views = [
      node ? awaitedView(timeView, log, node) : timeView,
      latestView(written),
      placeView(written),
      entityView(written),
    ];
    const contextUrls = this.#contextUrls;
    return {
      ...{ ...stream, schedule, health, sourceState, onSourceState, publication, contextUrls, texts, views, post },
      ...(refusal && { refusal }),
      requests: new RequestCounts(),
      commits: new CommitCounts(log),
      viewsByPath: new Map(views.map((view) => [view.path, view])),
      shapeDocument: descriptionDocument(shapeUrl(description), () => memberShapeQuads(description, shape)),
      pushed: {
        ...{ description, breakEvenSeconds, contextUrls, sources: publication, isPrivate: readers !== undefined },
        commits: new EncodedCommits(log, texts, this.settings.limitFrameBytes),
        snapshots: new Snapshots(log, texts),
      },
    };
  }

  /** What a stream says of its members is what its log has, whichever release began that. */
  #completed(stream: LiveStream): CompletedStream {
    const { description, log, breakEvenSeconds = this.#options.breakEvenSeconds } = stream;
    return { ...stream, description: { ...description, sequencePath: log.sequencePath }, breakEvenSeconds };
  }

  /** Begins to ask the sources, and to keep retention; resolves once empty logs have been filled, after 3 s at the latest. */
  start(): Promise<void> {
    this.#isStarted = true;
    return this.#start(this.all);
  }

  #start(streams: readonly OpenStream[]): Promise<void> {
    const publications = streams.map(({ publication }) => publication);
    return startPublications(publications, { sleep: this.#options.sleep ?? sleep });
  }

  /** Open push connections of all streams, those of workers included. */
  async countConnections(): Promise<number> {
    // Of the moment in which it is asked for, as those of the workers are.
    const { size } = this.push.admission;
    const elsewhere = await this.workers.reports();
    return this.all.reduce((sum, { description }) => sum + elsewhere.connections(description.name), size);
  }

  /** Ends push streams spread over the grace period, and reads no further posts; once is enough. */
  drain(): Promise<void> {
    this.#posts.stop();
    // At the same time, so that they take no longer than one of them. The workers' readers get every commit until they
    // are sent away: the sources go on.
    this.#drained ??= Promise.all([this.workers.drain(), this.push.drain()]).then(() => undefined);
    return this.#drained;
  }

  /** Ends sources and retention, then lets go of everything. */
  async close(): Promise<void> {
    await Promise.all(this.all.map(({ publication }) => publication.stop()));
    this.push.close();
    this.workers.close();
    this.node?.close();
    for (const stream of this.all) release(stream);
    this.lines.flush();
  }

  #assertOpen(): void {
    if (this.#drained) throw errors.ERR_SERVER_CLOSED(undefined);
  }

  #logOpened({ description, log, sources = [] }: OpenStream): void {
    const fields = { cursor: formatCursor(log.head.cursor), entities: log.latest.size, heldFrom: log.heldFrom };
    this.#logger.info({ stream: description.name, ...fields, sources: sources.length }, 'stream opened');
  }
}

/** Lets go of streams that were opened, and that nobody has seen. */
async function discard(streams: readonly OpenStream[]): Promise<void> {
  await Promise.all(streams.map(({ publication }) => publication.stop()));
  for (const stream of streams) release(stream);
}

/** Lets go of a stream whose sources have ended. */
function release({ pushed, commits, views }: OpenStream): void {
  pushed.commits.close();
  commits.close();
  for (const view of views) view.close?.();
}

/** Whether a stream can stay open as it is: what may differ is exchanged while it is open. */
function isSame(open: OpenStream, stream: LiveStream): boolean {
  const fixed = ({ description, shape, breakEvenSeconds, sparqlEndpoint, readers }: LiveStream) => [
    ...[description, breakEvenSeconds, sparqlEndpoint, readers, shape?.iri],
    ...(shape ? withNumberedBlankNodes(shape.quads) : []),
  ];
  return open.log === stream.log && isDeepStrictEqual(fixed(open), fixed(stream));
}

/** Terms of quads, their blank nodes by number: labels are new each time that a shape is read. */
function withNumberedBlankNodes(quads: readonly Quad[]): (Term | number)[] {
  const labels: string[] = [];
  const numbered = (term: Term) => {
    if (term.termType !== 'BlankNode') return term;
    if (!labels.includes(term.value)) labels.push(term.value);
    return labels.indexOf(term.value);
  };
  return quads.flatMap(({ subject, predicate, object, graph }) => [subject, predicate, object, graph].map(numbered));
}

function isPublishedAlike(before: LiveStream | undefined, now: LiveStream): boolean {
  const { sources, updates, schedule } = now;
  return before?.sources === sources && before?.schedule === schedule && isDeepStrictEqual(before?.updates, updates);
}

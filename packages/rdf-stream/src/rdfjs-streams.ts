// Quads to and from RDF/JS streams, which parsers, serializers and stores of others take and give. Back-pressure goes both
// ways: nothing is asked for before it can be taken on, and no source is left open when a stream is destroyed.
//   rdfSerializer.serialize(quadStream(commits, { quadsOf }), { contentType: 'text/turtle' }).pipe(file)
//   quadStream(readMessages(text, 'nquads', url)).pipe(new StreamWriter())
//   for await (const quad of quadsFrom(rdfParser.parse(file, { contentType: 'text/turtle' }))) ...
//   engine.queryBindings(query, { sources: [quadSource(() => member.quads)] })
//   quadSink((quads) => insert(quads)).import(stream).on('end', ...)
// On `readable-stream`, as N3.js is, so that it goes into bundles for browsers.
import type { EventEmitter } from 'node:events';
import type { Readable as NodeReadable } from 'node:stream';
import type { Quad, Sink, Source, Stream } from '@rdfjs/types';
import { Stream as Emitter, Readable } from 'readable-stream';
import { errors } from './errors.ts';
import { namedNode } from './terms.ts';

export interface QuadStreamOptions<Item> {
  /** The quads of an item. @defaultValue the item itself, a quad or several */
  readonly quadsOf?: (item: Item) => Iterable<Quad>;
  /** Namespaces by prefix: told by `prefix` events before the first quad. */
  readonly prefixes?: Readonly<Record<string, string>>;
}

/**
 * The quads of items as a stream, which is read no faster than its reader takes them. An error of the items is the
 * stream's; `destroy()` ends the items too.
 */
export function quadStream<Item = Quad | Iterable<Quad>>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { quadsOf = ownQuads, prefixes = {} }: QuadStreamOptions<Item> = {},
): Stream<Quad> & NodeReadable {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const announced = Object.entries(prefixes);
  let quads: Iterator<Quad> | undefined;
  let isWanted = false;
  let isBusy = false;
  const fill = async () => {
    isBusy = true;
    try {
      for (const [prefix, iri] of announced.splice(0)) stream.emit('prefix', prefix, namedNode(iri));
      while (isWanted && !stream.destroyed) {
        const next = quads?.next();
        if (next && !next.done) {
          // It may be asked for more within the push.
          isWanted = false;
          if (stream.push(next.value)) isWanted = true;
          continue;
        }
        const item = await iterator.next();
        if (item.done) {
          isWanted = false;
          stream.push(null);
        } else quads = quadsOf(item.value)[Symbol.iterator]();
      }
    } catch (error) {
      stream.destroy(error as Error);
    } finally {
      isBusy = false;
    }
  };
  const stream = new Readable({
    objectMode: true,
    read() {
      isWanted = true;
      if (!isBusy) void fill();
    },
    destroy(error, callback) {
      // Not waited for: items that wait for an event may end with it only.
      void (async () => iterator.return?.())().catch(() => undefined);
      callback(error);
    },
  });
  return stream as unknown as Stream<Quad> & NodeReadable;
}

function ownQuads(item: unknown): Iterable<Quad> {
  return typeof item === 'object' && item !== null && Symbol.iterator in item
    ? (item as Iterable<Quad>)
    : [item as Quad];
}

/**
 * The quads of a stream, whoever made it. A stream that is left before its end is destroyed, if it can be.
 *
 * @throws {@link StreamError} `ERR_QUAD_STREAM_CLOSED` - the stream was closed before its end; its errors are thrown as they are
 */
export function quadsFrom(stream: Stream<Quad>): AsyncIterable<Quad> {
  // At once, so that no error goes unheard until somebody asks.
  const batches = batchesFrom(stream, BATCH);
  return (async function* () {
    for await (const quads of batches) yield* quads;
  })();
}

// How many quads are taken from a stream at a time, where nobody says.
const BATCH = 64;

interface StreamState {
  readonly readableEnded?: boolean;
  readonly ended?: boolean;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  destroy?(): unknown;
}

// What stands ready in a stream, at least one quad, each time that it is asked for.
function batchesFrom(stream: Stream<Quad>, limit: number): AsyncIterable<Quad[]> {
  const state = stream as Stream<Quad> & StreamState;
  let isEnded = state.readableEnded === true || state.ended === true;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;
  const onError = (error: unknown) => {
    failure ??= { error };
    wake();
  };
  const onClose = () => {
    if (!isEnded) onError(state.errored ?? errors.ERR_QUAD_STREAM_CLOSED({}));
  };
  const onEnd = () => {
    isEnded = true;
    wake();
  };
  if (state.destroyed) onClose();
  const listeners = Object.entries({ readable: () => wake(), end: onEnd, error: onError, close: onClose });
  for (const [event, listener] of listeners) stream.on(event, listener);
  return (async function* () {
    try {
      while (true) {
        const quads: Quad[] = [];
        for (let quad = stream.read(); quad !== null; quad = quads.length < limit ? stream.read() : null)
          quads.push(quad);
        if (quads.length > 0) yield quads;
        else if (failure) throw failure.error;
        else if (isEnded) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      for (const [event, listener] of listeners) stream.off(event, listener);
      // What a stream that is left may still tell is nobody's.
      stream.on('error', () => undefined);
      if (!isEnded) state.destroy?.();
    }
  })();
}

/** Quads as an RDF/JS source, which query engines take. `read` gives all quads, once for each match. */
export function quadSource(read: () => AsyncIterable<Quad> | Iterable<Quad>): Source {
  return {
    match(...pattern) {
      const fits = ({ subject, predicate, object, graph }: Quad) =>
        [subject, predicate, object, graph].every((term, index) => pattern[index]?.equals(term) ?? true);
      return quadStream(read(), { quadsOf: (quad) => (fits(quad) ? [quad] : []) });
    },
  };
}

/**
 * A sink that hands on the quads of each stream that it imports, in order; what it gives emits `end` when all are taken, or
 * `error`.
 *
 * @param take - takes what stands ready; the stream waits until it has
 * @param options - `batch`: the most quads at a time, 1 or more. @defaultValue 64
 */
export function quadSink(
  take: (quads: Quad[]) => void | Promise<void>,
  { batch = BATCH }: { readonly batch?: number } = {},
): Sink<Stream<Quad>, EventEmitter> {
  return {
    import(stream) {
      const emitter = new Emitter() as unknown as EventEmitter;
      const taking = (async () => {
        for await (const quads of batchesFrom(stream, batch)) await take(quads);
      })();
      taking.then(
        () => emitter.emit('end'),
        (error) => emitter.emit('error', error),
      );
      return emitter;
    },
  };
}

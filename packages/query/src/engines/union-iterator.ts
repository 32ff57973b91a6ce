/** The parts of the library's iterator that are mended. */
interface UnionPrototype {
  _fillBuffer(this: UnionState): void;
  _read(this: UnionState, count: number, done: () => void): void;
}

interface UnionState {
  readonly closed: boolean;
  readonly _reading: boolean;
  _fillBufferAsync(): void;
  [MISSED]?: boolean;
}

const MENDED = Symbol.for('@ldes-live/query:mended');
const MISSED: unique symbol = Symbol('missed') as never;

/**
 * Mends the unions of `asynciterator`, of which Comunica makes its own: what one of their sources tells while they read from
 * another is lost there (3.10.0), so that some queries with UNION never end. Here they look again when they are through.
 *
 * @param solutions - of a query that is a union: its class is mended, once however often it is met
 * @returns whether there is such a class and it is mended
 * @see specs/query.md QUERY-29
 */
export function mendUnions(solutions: object): boolean {
  const prototype = unionPrototype(solutions);
  if (!prototype) return false;
  if (prototype[MENDED]) return true;
  const { _fillBuffer: fill, _read: read } = prototype;
  prototype[MENDED] = true;
  prototype._fillBuffer = function () {
    if (this._reading) this[MISSED] = true;
    fill.call(this);
  };
  prototype._read = function (count, done) {
    this[MISSED] = false;
    read.call(this, count, () => {
      done();
      if (this[MISSED] && !this.closed) this._fillBufferAsync();
    });
  };
  return true;
}

/** The prototype of the union that solutions come from, directly or by way of others. */
function unionPrototype(solutions: object): (UnionPrototype & { [MENDED]?: boolean }) | undefined {
  for (let stream: object | undefined = solutions; stream; stream = (stream as { _source?: object })._source) {
    if ('_removeEmptySources' in stream) return Object.getPrototypeOf(stream);
  }
  return undefined;
}

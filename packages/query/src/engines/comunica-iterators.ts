/*
What is changed of `asynciterator`, which Comunica's solutions flow by.

The unions of `asynciterator` lose what one of their sources reports while they read from another (3.10.0, the newest), so
that some queries with UNION never end: a source becomes readable, the union is reading and looks no further, and nothing
wakes it again. Here a union that missed something looks again when it is through. Comunica makes unions in many places, so
that its class is changed itself; a test says when that is not needed any more.

An iterator that has ended tells so to nobody who listens later, and Comunica listens late, as in EXISTS: it never ends. Here who
comes later is told as well.

Iterators work in tasks that nobody waits for: what one throws, as when an error of an iterator has no listener, would end the
program. Here it is caught, and whoever asked is told.
*/
import { AsyncIterator, getTaskScheduler, setTaskScheduler, UnionIterator } from '#comunica';

interface Union {
  readonly closed: boolean;
  readonly _reading: boolean;
  _fillBufferAsync(): void;
  _fillBuffer(): void;
  _read(count: number, done: () => void): void;
  [MISSED]?: boolean;
}

const MISSED: unique symbol = Symbol('missed');

/** Changes the class of unions, once. @see specs/query.md QUERY-29 */
export function patchUnionIterator(): void {
  const prototype = UnionIterator.prototype as unknown as Union;
  if (MISSED in prototype) return;
  const { _fillBuffer: fill, _read: read } = prototype;
  prototype[MISSED] = false;
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
}

const schedule = getTaskScheduler();

/**
 * Has the tasks of all iterators caught.
 *
 * @param failed - is told of what a task threw
 */
export function catchTasks(failed: (error: unknown) => void): void {
  setTaskScheduler((task) =>
    schedule(() => {
      try {
        task();
      } catch (error) {
        failed(error);
      }
    }),
  );
}

interface Ending {
  on(event: string, listener: () => void): unknown;
  emit(event: string, ...given: unknown[]): boolean;
  [TOLD]?: boolean;
}

const TOLD: unique symbol = Symbol('told of its end');

/** Changes the class of all iterators, once. @see specs/query.md QUERY-29 */
export function patchEnds(): void {
  const prototype = AsyncIterator.prototype as unknown as Ending;
  if (TOLD in prototype) return;
  const { on, emit } = prototype;
  prototype[TOLD] = false;
  prototype.emit = function (event, ...given) {
    if (event === 'end') this[TOLD] = true;
    return emit.call(this, event, ...given);
  };
  prototype.on = function (event, listener) {
    if (event === 'end' && this[TOLD]) getTaskScheduler()(() => listener.call(this));
    return on.call(this, event, listener);
  };
}

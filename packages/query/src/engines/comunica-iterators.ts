/*
Patches of `asynciterator` (3.10.0, the newest), by which Comunica's solutions flow. Comunica makes iterators in many places, so
the classes themselves are patched; a test says when that is no longer needed.

Unions lose what a source reports while they read from another: nothing wakes them again, and some queries with UNION never end.
Here a union that missed something looks again when it has read.

An iterator that has ended emits no `end` to later listeners, and Comunica listens late, as in EXISTS: the query never ends. Here
later listeners are called as well.

Iterators work in tasks that nobody waits for. What one throws, as an error of an iterator without a listener, would end the
program. Here it fails the evaluations.

An iterator emits all that it has in one go. What a listener begins for each item, as groups do, waits until then, and takes
memory: here it emits in turns where asked to.
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

/** Changes the class of unions, once. */
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

/** @param failed - called with what a task of any iterator throws */
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
  [ENDED]?: boolean;
}

const ENDED: unique symbol = Symbol('has emitted its end');

/** Changes the class of all iterators, once. */
export function patchEnds(): void {
  const prototype = AsyncIterator.prototype as unknown as Ending;
  if (ENDED in prototype) return;
  const { on, emit } = prototype;
  prototype[ENDED] = false;
  prototype.emit = function (event, ...given) {
    if (event === 'end') this[ENDED] = true;
    return emit.call(this, event, ...given);
  };
  prototype.on = function (event, listener) {
    if (event === 'end' && this[ENDED]) getTaskScheduler()(() => listener.call(this));
    return on.call(this, event, listener);
  };
}

/** What of an iterator those use that take its items as they come. */
export interface Listened {
  on(event: string, listener: (item: unknown) => void): unknown;
}

interface Emitting extends Listened {
  removeListener(event: string, listener: (item: unknown) => void): unknown;
}

const ITEMS_OF_A_TURN = 1000;

/** An iterator whose listener takes 1,000 items, and then what it has begun for them goes on before it takes more. */
export function emittingInTurns(iterator: Emitting): Listened {
  return {
    on(event, listener) {
      if (event !== 'data') return iterator.on(event, listener);
      let items = 0;
      const take = (item: unknown) => {
        listener(item);
        items += 1;
        if (items % ITEMS_OF_A_TURN > 0) return;
        // Without a listener it emits nothing.
        iterator.removeListener(event, take);
        getTaskScheduler()(() => iterator.on(event, take));
      };
      return iterator.on(event, take);
    },
  };
}

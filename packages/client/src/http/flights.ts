import { linkedAbort } from '../waiting/linked-abort.ts';

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  askers: number;
  isOver: boolean;
}

/**
 * Work under way, by key: whoever asks for the same while it lasts gets the same result.
 *
 * @see specs/mal.md MAL-45
 */
export class Flights<Result> {
  readonly #underWay = new Map<string, Flight<Result>>();

  /**
   * The result of work, which is begun unless it is under way. It is stopped when nobody who asked for it is left.
   *
   * @throws the signal's reason when it is aborted
   */
  async share(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const flight = this.#underWay.get(key) ?? this.#begin(key, begin);
    flight.askers += 1;
    const { controller, unlink } = linkedAbort(signal);
    const left = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    left.catch(() => {});
    try {
      return await Promise.race([flight.result, left]);
    } finally {
      unlink();
      flight.askers -= 1;
      if (flight.askers === 0 && !flight.isOver) {
        this.#forget(key, flight);
        flight.controller.abort(signal.reason);
      }
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const flight: Flight<Result> = { result: begin(controller.signal), controller, askers: 0, isOver: false };
    this.#underWay.set(key, flight);
    const end = () => {
      flight.isOver = true;
      this.#forget(key, flight);
    };
    flight.result.then(end, end);
    return flight;
  }

  #forget(key: string, flight: Flight<Result>): void {
    if (this.#underWay.get(key) === flight) this.#underWay.delete(key);
  }
}

import type { EncodedCommit } from '../push/encoded-commits.ts';
import type { Snapshot } from '../push/snapshots.ts';

interface Part {
  readonly packet: Promise<EncodedCommit>;
  readonly resolve: (packet: EncodedCommit) => void;
  readonly reject: (error: Error) => void;
}

/** A state whose parts come from another process, one after the other. */
export class ArrivingState implements Snapshot {
  readonly after: number;
  readonly to: number;
  readonly length: number;
  readonly #parts: readonly Part[];

  constructor({ after, to, length }: Pick<Snapshot, 'after' | 'to' | 'length'>) {
    this.after = after;
    this.to = to;
    this.length = length;
    this.#parts = Array.from({ length }, newPart);
  }

  part(index: number): Promise<EncodedCommit> {
    const part = this.#parts[index];
    return part ? part.packet : Promise.reject(new RangeError(`a state of ${this.length} parts has no part ${index}`));
  }

  /** Takes a part that has come. */
  take(index: number, packet: EncodedCommit): void {
    this.#parts[index]?.resolve(packet);
  }

  /** No more parts come. */
  fail(error: Error): void {
    for (const { reject } of this.#parts) reject(error);
  }
}

function newPart(): Part {
  let [resolve, reject]: [Part['resolve'], Part['reject']] = [() => undefined, () => undefined];
  const packet = new Promise<EncodedCommit>((whenTaken, whenFailed) => {
    resolve = whenTaken;
    reject = whenFailed;
  });
  // Nobody may be waiting for it.
  packet.catch(() => undefined);
  return { packet, resolve, reject };
}

import { type Commit, literal, type Member, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import type { CommitSource, SourceEvent } from '../../src/source.ts';

const VEHICLE = 'http://example.org/Vehicle';
const EPOCH = 'a';

/** A stream of vehicles that a test moves; whoever reads it gets the state, and then what comes. */
export class TestStream {
  readonly name: string;
  readonly #living = new Map<string, Member>();
  readonly #readers = new Set<(commit: Commit) => void>();
  #sequence = 0;
  /** How often it was read from the beginning. */
  readings = 0;

  constructor(name = 'vehicles') {
    this.name = name;
  }

  /** How many read it now. */
  get readers(): number {
    return this.#readers.size;
  }

  cursor(): string {
    return `${EPOCH}-${this.#sequence}`;
  }

  /** Moves vehicles, in one commit. */
  move(...vehicles: readonly (readonly [id: number | string, line: string, delay: number])[]): void {
    const time = new Date().toISOString();
    const members = vehicles.map(([id, line, delay]): Member => {
      this.#sequence += 1;
      const entity = `http://example.org/vehicles/${id}`;
      const version = namedNode(`${entity}#${this.#sequence}`);
      const say = (predicate: string, object: Parameters<typeof quad>[2]) =>
        quad(version, namedNode(predicate), object);
      return {
        id: version.value,
        entity,
        kind: 'upsert',
        sequence: this.#sequence,
        time,
        quads: [
          say(rdf.type, namedNode(VEHICLE)),
          say('http://example.org/of', namedNode(entity)),
          say('http://example.org/line', literal(line)),
          say('http://example.org/delay', literal(String(delay), 'http://www.w3.org/2001/XMLSchema#integer')),
        ],
      };
    });
    for (const member of members) this.#living.set(member.entity, member);
    const commit = { cursor: { epoch: EPOCH, sequence: this.#sequence }, time, members };
    for (const reader of this.#readers) reader(commit);
  }

  commits(signal: AbortSignal): CommitSource {
    this.readings += 1;
    return {
      url: `http://localhost/${this.name}`,
      completeToMs: () => Date.now(),
      [Symbol.asyncIterator]: () => this.#events(signal),
    };
  }

  async *#events(signal: AbortSignal): AsyncGenerator<SourceEvent, void, undefined> {
    const waiting: SourceEvent[] = [{ kind: 'state', cursor: this.cursor(), members: [...this.#living.values()] }];
    let wake: () => void = () => undefined;
    const reader = (commit: Commit) => {
      waiting.push(commit);
      wake();
    };
    this.#readers.add(reader);
    const stop = () => wake();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next) yield next;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      this.#readers.delete(reader);
      signal.removeEventListener('abort', stop);
    }
  }
}

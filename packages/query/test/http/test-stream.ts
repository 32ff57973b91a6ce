import { type Commit, literal, type Member, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import { type CommitLog, logCommits } from '../../src/http/log-commits.ts';
import type { CommitSource } from '../../src/source.ts';

const VEHICLE = 'http://example.org/Vehicle';
const EPOCH = 'a';

/** A stream of vehicles that a test moves, as the log that it would be in. */
export class TestStream implements CommitLog {
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

  get head() {
    return { cursor: { epoch: EPOCH, sequence: this.#sequence } };
  }

  cursor(): string {
    return `${EPOCH}-${this.#sequence}`;
  }

  completeToMs(): number {
    return Date.now();
  }

  async readLatest(): Promise<readonly Member[]> {
    return [...this.#living.values()];
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#readers.add(listener);
    return () => this.#readers.delete(listener);
  }

  commits(signal: AbortSignal): CommitSource {
    this.readings += 1;
    return logCommits(this, `http://localhost/${this.name}`, signal);
  }

  /** Moves vehicles, in one commit. */
  move(...vehicles: readonly (readonly [id: number | string, line: string, delay: number])[]): void {
    const time = new Date().toISOString();
    const members = vehicles.map(([id, line, delay]): Member => {
      this.#sequence += 1;
      const entity = `http://example.org/vehicles/${id}`;
      const version = namedNode(`${entity}#${this.#sequence}`);
      const add = (predicate: string, object: Parameters<typeof quad>[2]) =>
        quad(version, namedNode(predicate), object);
      const quads = [
        add(rdf.type, namedNode(VEHICLE)),
        add('http://example.org/of', namedNode(entity)),
        add('http://example.org/line', literal(line)),
        add('http://example.org/delay', literal(String(delay), 'http://www.w3.org/2001/XMLSchema#integer')),
      ];
      return { id: version.value, entity, kind: 'upsert', sequence: this.#sequence, time, quads };
    });
    for (const member of members) this.#living.set(member.entity, member);
    const commit = { cursor: this.head.cursor, time, members };
    for (const reader of this.#readers) reader(commit);
  }
}

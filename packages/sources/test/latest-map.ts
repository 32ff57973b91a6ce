import { type Draft, isNewestState, type LatestEntry, type LatestView } from '@ldes-live/rdf-stream';

/** A latest state in a map, and all drafts that made it. */
export class LatestMap implements LatestView {
  readonly batches: (readonly Draft[])[] = [];
  readonly #entries = new Map<string, LatestEntry>();
  readonly #versions = new Set<string>();
  #sequence = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(entity: string): LatestEntry | undefined {
    return this.#entries.get(entity);
  }

  ofOrigin(origin: string): LatestEntry[] {
    return [...this.#entries.values()].filter((entry) => entry.origin === origin);
  }

  sequences(): number[] {
    return Array.from(this.#entries.values(), ({ sequence }) => sequence);
  }

  async hasVersions(versionIris: readonly string[]): Promise<Set<string>> {
    return new Set(versionIris.filter((iri) => this.#versions.has(iri)));
  }

  entities(): string[] {
    return [...this.#entries.keys()].sort();
  }

  append(drafts: readonly Draft[]): void {
    this.batches.push(drafts);
    for (const draft of drafts) {
      this.#sequence += 1;
      const { entity, origin } = draft;
      if (draft.kind === 'delete') this.#entries.delete(entity);
      else {
        const { id, fingerprint, versionTime } = draft;
        if (id !== undefined) this.#versions.add(id);
        const known = this.#entries.get(entity);
        const entry = { entity, origin, fingerprint, versionTime, sequence: this.#sequence };
        const isOlder = known && !isNewestState(draft, known);
        this.#entries.set(entity, isOlder ? { ...known, lastFingerprint: fingerprint } : entry);
      }
    }
  }
}

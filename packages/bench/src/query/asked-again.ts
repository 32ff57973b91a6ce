import { comunica, type EngineStore, type Row, type SourceEvent } from '@ldes-live/query';
import type { Member } from '@ldes-live/rdf-stream';

const LIMIT_ROWS = 100_000;

/** The latest state in a store of Comunica, where a query is asked again in full. */
export class AskedAgain {
  readonly #store: EngineStore;
  readonly #text: string;
  readonly #quads = new Map<string, Member['quads']>();

  static async open(text: string): Promise<AskedAgain> {
    return new AskedAgain(await comunica().open(), text);
  }

  private constructor(store: EngineStore, text: string) {
    this.#store = store;
    this.#text = text;
  }

  /** Replaces what there was of each entity. */
  apply({ members }: SourceEvent): void {
    for (const { entity, quads } of members) {
      for (const quad of this.#quads.get(entity) ?? []) this.#store.delete(quad);
      for (const quad of quads) this.#store.add(quad);
      this.#quads.set(entity, quads);
    }
  }

  ask(): Promise<readonly Row[]> {
    return this.#store.select({ text: this.#text }, { limitRows: LIMIT_ROWS });
  }
}

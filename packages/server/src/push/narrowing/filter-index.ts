import type { Filter, FilterSubject, FormerPosition } from '@ldes-live/rdf-stream';
import { BoxGrid } from './box-grid.ts';

/**
 * Things that have a filter, by what their filters ask for: it names those that a member may concern, so that the
 * others need not be asked.
 *
 * Each is kept under the one kind that leaves most out: entities, else boxes, else types.
 */
export class FilterIndex<Entry extends { readonly filter: Filter }> {
  readonly #byEntity = new Map<string, Set<Entry>>();
  readonly #grid = new BoxGrid<Entry>();
  readonly #boxed = new Set<Entry>();
  readonly #byType = new Map<string, Set<Entry>>();
  readonly #typed = new Set<Entry>();

  add(entry: Entry): void {
    const { entities, types, boxes } = entry.filter;
    if (entities.size > 0) {
      for (const entity of entities) addUnder(this.#byEntity, entity, entry);
    } else if (boxes.length > 0) {
      this.#boxed.add(entry);
      this.#grid.add(entry, boxes);
    } else {
      this.#typed.add(entry);
      for (const type of types) addUnder(this.#byType, type, entry);
    }
  }

  remove(entry: Entry): void {
    const { entities, types, boxes } = entry.filter;
    for (const entity of entities) removeUnder(this.#byEntity, entity, entry);
    for (const type of types) removeUnder(this.#byType, type, entry);
    if (this.#boxed.delete(entry)) this.#grid.remove(entry, boxes);
    this.#typed.delete(entry);
  }

  /**
   * All whose filter a member fits, and some that it does not; one may come more than once.
   *
   * @param was - where the member's entity was before it
   */
  *candidates({ entity, kind, types, position }: FilterSubject, was: FormerPosition): Iterable<Entry> {
    yield* this.#byEntity.get(entity) ?? [];
    if (kind === 'delete') {
      yield* this.#boxed;
      yield* this.#typed;
      return;
    }
    for (const type of types) yield* this.#byType.get(type) ?? [];
    if (was === 'unknown') {
      yield* this.#boxed;
      return;
    }
    if (position) yield* this.#grid.near(position);
    if (was !== undefined && was !== 'nowhere') yield* this.#grid.near(was);
  }
}

function addUnder<Entry>(index: Map<string, Set<Entry>>, name: string, entry: Entry): void {
  const entries = index.get(name);
  if (entries) entries.add(entry);
  else index.set(name, new Set([entry]));
}

function removeUnder<Entry>(index: Map<string, Set<Entry>>, name: string, entry: Entry): void {
  const entries = index.get(name);
  entries?.delete(entry);
  if (entries?.size === 0) index.delete(name);
}

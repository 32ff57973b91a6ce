import type { Draft } from '@ldes-live/rdf-stream';

/**
 * Splits drafts into batches to be appended one after the other, none with two drafts of one entity: those of an
 * entity keep their order. Pure.
 */
export function successiveBatches(drafts: readonly Draft[]): Draft[][] {
  const batches: Draft[][] = [];
  const before = new Map<string, number>();
  for (const draft of drafts) {
    const place = before.get(draft.entity) ?? 0;
    before.set(draft.entity, place + 1);
    const batch = batches[place];
    if (batch) batch.push(draft);
    else batches[place] = [draft];
  }
  return batches;
}

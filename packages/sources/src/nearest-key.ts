/**
 * The known key that a misspelt one was probably meant to be, whatever its case; `undefined` when none is near.
 *
 * @param known - the keys that there are, the first of equally near ones first
 */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, edits: editDistance(key.toLowerCase(), candidate.toLowerCase()) }))
    // More edits than a third of the word make another word, not a slip.
    .filter(({ candidate, edits }) => edits <= Math.round(candidate.length / 3))
    .sort((left, right) => left.edits - right.edits);
  return best?.candidate;
}

/** Letters to insert, remove or replace to get from one word to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [done, letter] of [...from].entries()) {
    const next = [done + 1];
    for (const [index, wanted] of [...to].entries()) {
      const replaced = (row[index] as number) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

import type { Draft } from '@ldes-live/rdf-stream';

/** Drafts of messages, in the order in which they can be stored. */
export interface Rounds<Item> {
  /** One after the other; each has at most one draft of an entity, and of a version of its own IRI. */
  readonly rounds: readonly (readonly Item[])[];
  /** For each message the number of rounds after which all of it is stored; 0 when it has no drafts. */
  readonly roundsUntilStored: readonly number[];
}

/**
 * Packs the drafts of many messages into as few commits as can be: several versions of one entity come in successive
 * rounds, in the order of their messages. Pure.
 *
 * @param messages - for each message what it says
 * @see specs/mqtt.md MQTT-6
 */
export function packRounds<Item extends { readonly draft: Draft }>(
  messages: readonly (readonly Item[])[],
): Rounds<Item> {
  const rounds: Item[][] = [];
  const nextRound = new Map<string, number>();
  const roundsUntilStored = messages.map((items) => {
    let last = 0;
    for (const item of items) {
      const names = namesOf(item.draft);
      const round = Math.max(...names.map((name) => nextRound.get(name) ?? 0));
      for (const name of names) nextRound.set(name, round + 1);
      if (round === rounds.length) rounds.push([]);
      (rounds[round] as Item[]).push(item);
      last = Math.max(last, round + 1);
    }
    return last;
  });
  return { rounds, roundsUntilStored };
}

// A version's IRI and an entity's may be the same text; they are told apart.
function namesOf(draft: Draft): readonly string[] {
  const entity = `entity ${draft.entity}`;
  return draft.id !== undefined ? [entity, `version ${draft.id}`] : [entity];
}

import { type Draft, isNewestState, isPublishedState, type LatestView } from '@ldes-live/rdf-stream';

/** What a message says of one entity. */
export interface SaidDraft {
  readonly draft: Draft;
  /** The message may have come before, or has been kept for long: it may say what is not so any more. */
  readonly isOld: boolean;
}

/** What of it is news. */
export interface JudgedDrafts {
  readonly drafts: readonly Draft[];
  /** What was left out and why, and what was noticed, by name. */
  readonly findings: Readonly<Record<string, number>>;
}

type Verdict = 'news' | 'versionTimesBack' | 'repeated' | 'unchanged' | 'outdated' | 'unknownEnds';

/**
 * Tells what of some drafts is news to the latest state.
 *
 * @param said - at most one draft of an entity
 * @see specs/mqtt.md MQTT-7
 */
export async function judgeDrafts(said: readonly SaidDraft[], latest: LatestView): Promise<JudgedDrafts> {
  const held = await latest.hasVersions(said.flatMap(({ draft }) => ownIri(draft) ?? []));
  const findings: Record<string, number> = {};
  const drafts = said.flatMap((item) => {
    const verdict = judge(item, latest, held);
    if (verdict !== 'news') findings[verdict] = (findings[verdict] ?? 0) + 1;
    return verdict === 'news' || verdict === 'versionTimesBack' ? [item.draft] : [];
  });
  return { drafts, findings };
}

function judge({ draft, isOld }: SaidDraft, latest: LatestView, held: ReadonlySet<string>): Verdict {
  const before = latest.get(draft.entity);
  if (draft.kind === 'delete') return before?.origin === draft.origin ? 'news' : 'unknownEnds';
  if (draft.id !== undefined) return held.has(draft.id) ? 'repeated' : 'news';
  if (isPublishedState(draft, before)) return 'unchanged';
  if (isNewestState(draft, before)) return 'news';
  return isOld ? 'outdated' : 'versionTimesBack';
}

function ownIri(draft: Draft): string | undefined {
  return draft.kind === 'upsert' ? draft.id : undefined;
}

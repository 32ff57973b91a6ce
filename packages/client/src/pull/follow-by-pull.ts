import { formatCursor, isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { Change } from '../follow/change.ts';
import type { FollowSession } from '../follow/follow-session.ts';
import type { FollowEvent } from '../follow/follow-state.ts';
import { firstOf } from '../waiting/first-of.ts';

/** How often a page that ends before the position is asked for again past caches before it means that the log went back. */
const BEHIND_LIMIT = 3;

/** Waits until the next poll is due, or somebody who shares it has begun it. */
export async function waitForPoll(session: FollowSession): Promise<FollowEvent> {
  const { share, clock } = session.options;
  // Nobody else has to read what is not new.
  if (session.isLeftBehind) return 'due';
  const { tree } = session;
  const dueMs = (tree?.planner ?? share.planner).dueMs(clock());
  if (dueMs === undefined) return 'due';
  if (session.chosenAt !== share.changes) return 'reconsider';
  const first = await firstOf(session.signal, {
    due: (signal) => share.jumps.sleepUntil(dueMs, signal),
    // The pages of a tree are those of each follower, and so is when they are looked at.
    polled: tree ? undefined : (signal) => share.polled.next(signal),
    reconsider: (signal) => share.changed.next(signal),
  });
  if (first === 'due' && !tree) share.polled.ring();
  return first === 'reconsider' ? 'reconsider' : 'due';
}

/** Reads what follows the position, up to the head. */
export function pollPages(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  // A document that was cut or old may sit in a cache: asking the same again would give the same again.
  const revalidate = isStreamError(session.trouble?.error, 'ERR_DOCUMENT_INCOMPLETE') || session.pagesBehind > 0;
  return readPages(session, { revalidate, until: 0 });
}

/** Reads up to the event that showed that something is missing before it, or whatever a silent connection did not bring. */
export async function* repairHole(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  const { doubt } = session;
  const before = session.located().position.sequence;
  const event = yield* readPages(session, { revalidate: doubt === undefined, until: session.holeEnd });
  session.doubt = undefined;
  const found = session.located().position.sequence > before;
  if (doubt !== undefined) session.failedProbes = found ? 0 : session.failedProbes + 1;
  // A connection that did not bring what there was is dead, whatever it seems: the next one goes on from here.
  if (doubt !== undefined && found) {
    session.push?.retire();
    session.closePush();
  }
  return event;
}

async function* readPages(
  session: FollowSession,
  { revalidate, until }: { revalidate: boolean; until: number },
): AsyncGenerator<Change, FollowEvent> {
  const { signal, pages } = session;
  const { clock, sequencer, share } = session.options;
  if (revalidate) pages.forget();
  for (let fruitless = 0; fruitless < 2; ) {
    const { profile, position } = session.located();
    const askedMs = clock();
    const page = await pages.read(profile, position, { signal, revalidate });
    share.planner.measured(clock() - askedMs);
    if (page.kind === 'shortened' && session.options.from === 'start') {
      // Whoever asked for the oldest that there is has missed nothing.
      sequencer.restart({ epoch: position.epoch, sequence: page.first - 1 });
      continue;
    }
    if (page.kind !== 'behind') session.pagesBehind = 0;
    // The first may come from a cache: only answers from beyond it say more.
    else if (revalidate || session.pagesBehind === 0) session.pagesBehind += 1;
    if (page.kind === 'gone' || page.kind === 'shortened' || session.pagesBehind > BEHIND_LIMIT) {
      session.lose('pull');
      return 'gap';
    }
    if (page.kind === 'behind') throw outOfDate(page.url, `ends before ${formatCursor(position)}`);
    for (const [index, member] of page.members.entries()) {
      if (sequencer.accept(member) !== 'next') continue;
      const next = page.members[index + 1];
      // Its commit may go on over the end of a page that is not the last.
      const endsCommit = next ? next.time !== member.time : !page.more;
      yield session.tell(member, 'pull', { role: 'update', endsCommit });
    }
    if (!page.more) {
      if (session.located().position.sequence < until) throw outOfDate(page.head.url, `ends before sequence ${until}`);
      session.caughtUp(page.head);
      return 'caught-up';
    }
    fruitless = page.members.length === 0 ? fruitless + 1 : 0;
  }
  // The way to a position may lead over the page before it, but not further back.
  throw outOfDate(session.located().profile.pagesUrl, 'leads to pages without further members');
}

function outOfDate(url: string, problem: string) {
  return errors.ERR_DOCUMENT_INCOMPLETE({ url, problem });
}

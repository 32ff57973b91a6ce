import { formatCursor, isStreamError } from '@ldes-live/rdf-stream';
import type { Change } from './change.ts';
import { errors } from './errors.ts';
import type { FollowSession } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';
import { sleepUntil } from './sleep-until.ts';

/** After how many attempts a page that stays behind the reader means that the log went back. */
const BEHIND_LIMIT = 3;

/** Waits until the next poll is due. */
export async function waitForPoll(session: FollowSession): Promise<FollowEvent> {
  const { plan } = session.planner;
  if (plan) await sleepUntil(plan.atMs, { ...session.options, signal: session.signal });
  return 'due';
}

/** Reads the pages after the position up to the open one, for what is new on them. */
export function pollPages(session: FollowSession, failures: number): AsyncGenerator<Change, FollowEvent> {
  // A document that was cut or old may sit in a cache: asking the same again would give the same again.
  const revalidate = isStreamError(session.trouble?.error, 'ERR_DOCUMENT_INCOMPLETE');
  return readPages(session, { revalidate, failures, until: 0 });
}

/** Reads the pages up to the event that showed that something is missing before it. */
export function repairHole(session: FollowSession, failures: number): AsyncGenerator<Change, FollowEvent> {
  return readPages(session, { revalidate: true, failures, until: session.holeEnd });
}

async function* readPages(
  session: FollowSession,
  { revalidate, failures, until }: { revalidate: boolean; failures: number; until: number },
): AsyncGenerator<Change, FollowEvent> {
  const { signal, pages, planner } = session;
  const { clock, sequencer } = session.options;
  if (revalidate) pages.forget();
  for (let fruitless = 0; fruitless < 2; ) {
    const { profile, position } = session.located();
    const askedMs = clock();
    const page = await pages.read(profile, position, { signal, revalidate });
    planner.measured(clock() - askedMs);
    if (page.kind === 'shortened' && session.options.from === 'start') {
      // Whoever asked for the oldest that there is has missed nothing.
      sequencer.restart({ epoch: position.epoch, sequence: page.first - 1 });
      continue;
    }
    if (page.kind === 'gone' || page.kind === 'shortened' || (page.kind === 'behind' && failures >= BEHIND_LIMIT)) {
      session.lose('pull');
      return 'gap';
    }
    if (page.kind === 'behind') throw outOfDate(page.url, `ends before ${formatCursor(position)}`);
    for (const member of page.members) {
      if (sequencer.accept(member) === 'next') yield session.tell(member, 'pull', 'update');
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

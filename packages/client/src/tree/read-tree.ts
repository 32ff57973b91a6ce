import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import { PollPlanner } from '../connection/poll-planner.ts';
import { errors } from '../errors.ts';
import type { FollowSession } from '../follow/session.ts';
import type { FollowEvent } from '../follow/state.ts';
import type { StreamDocument } from '../http/document.ts';
import type { TreeReading } from './reading.ts';
import { openTree } from './reading.ts';

/** Before the first member of an LDES that has no cursors of its own: the numbering is that of one reading. */
const BEGINNING: Cursor = { epoch: 'tree', sequence: 0 };

/**
 * Begins the reading of an LDES that is not ours, or is read as if it were not.
 *
 * @throws {@link StreamError} `ERR_CURSOR_UNSUPPORTED` - it was to be followed from a cursor; those of `openTree`
 */
export async function beginTree(session: FollowSession, root: StreamDocument): Promise<FollowedTree> {
  const { url, from, request, share, limits, clock, phase, gate } = session.options;
  const { state, order, after, before } = request;
  const cursor = gate.position && formatCursor(gate.position);
  if (cursor !== undefined && state?.tree === undefined) throw errors.ERR_CURSOR_UNSUPPORTED({ url, from: cursor });
  const reading = await openTree({
    http: share.http,
    url,
    root,
    request: { from, order, after, before, state: state?.tree },
    limits,
    clock,
    phase,
    signal: session.signal,
  });
  // Not before it is open: a position says that there is something to go on with.
  if (!gate.position) gate.restart(BEGINNING);
  gate.hasEntities = reading.context.versionOfPath !== undefined;
  return new FollowedTree(session, reading);
}

/** An LDES that is followed though it is not ours. */
export class FollowedTree {
  /** Plans its looks: each follower has pages of its own to look at. */
  readonly planner: PollPlanner;
  readonly #session: FollowSession;
  #reading: TreeReading;

  constructor(session: FollowSession, reading: TreeReading) {
    this.planner = new PollPlanner(session.options.phase);
    this.#session = session;
    this.#reading = reading;
  }

  /** The reading under way. */
  get reading(): TreeReading {
    return this.#reading;
  }

  /** Plans the next run anew, by the MAL that rules now. */
  plan(): void {
    const { share, clock } = this.#session.options;
    this.planner.planned(this.#reading.plan(share.malMs), clock());
  }

  /** Reads what was not delivered yet: one synchronisation run, anew where the publisher kept too little to go on. */
  async read(): Promise<FollowEvent> {
    const session = this.#session;
    const { gate, share } = session.options;
    const successor = await this.#reading.successor(share.malMs, session.signal);
    if (successor) {
      const from = formatCursor(gate.position as Cursor);
      this.#reading = successor;
      gate.restart(BEGINNING);
      session.isCaughtUp = false;
      gate.gaps += 1;
      await gate.tellGap({ cursor: formatCursor(BEGINNING), from, via: 'pull' });
    }
    const batches = this.#reading.run(session.signal);
    try {
      for (;;) {
        const { done, value } = await batches.next();
        if (done) {
          this.plan();
          session.caughtUpTo(value.currentAtMs);
          return value.finished ? 'finished' : 'caught-up';
        }
        for (const member of value) {
          // They are numbered as they come: each is the next.
          gate.takeState(member);
          await gate.tell(member, { via: 'pull', endsCommit: true });
        }
      }
    } finally {
      // A page that a reader has left in its middle is read to its end by the next run.
      await batches.return(undefined as never);
    }
  }
}

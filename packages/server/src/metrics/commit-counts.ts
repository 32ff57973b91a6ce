import type { LiveStream } from '../options.ts';

/** What was published on each of some streams since the start. */
export class CommitCounts {
  readonly #counts = new Map<string, { commits: number; members: number }>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(streams: readonly Pick<LiveStream, 'description' | 'log'>[]) {
    for (const { description, log } of streams) {
      const count = { commits: 0, members: 0 };
      this.#counts.set(description.name, count);
      this.#subscriptions.push(
        log.subscribe(({ members }) => {
          count.commits += 1;
          count.members += members.length;
        }),
      );
    }
  }

  /** What was published on a stream. */
  of(stream: string): { readonly commits: number; readonly members: number } {
    return this.#counts.get(stream) ?? { commits: 0, members: 0 };
  }

  /** Counts no more. */
  close(): void {
    for (const end of this.#subscriptions) end();
  }
}

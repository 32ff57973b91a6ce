import type { Change, GapChange, LiveStatus, MemberChange } from '@ldes-live/client';
import { entityName } from './entity-name.ts';
import { EntityNews } from './entity-news.ts';

/** The parts of a follower's status that a summary tells. */
export type SummaryStatus = Pick<LiveStatus, 'mode' | 'reason' | 'lagBoundMs'>;

const NAMES_SHOWN = 3;

/**
 * Tells in lines for people what a follower reads: how it reads and why, and what changed.
 *
 * It remembers which entities it has told of, to tell new ones from changed ones.
 */
export class Summary {
  readonly #startedAt: string;
  readonly #news = new EntityNews();
  #told = '';

  /** @param startedMs - when following began, epoch milliseconds: what was published before has no lag to tell */
  constructor(startedMs: number) {
    this.#startedAt = new Date(startedMs).toISOString();
  }

  /** The line that tells mode and reason; none while they are what was told last. */
  modeLine({ mode, reason }: SummaryStatus, nowMs: number): string {
    const told = `${mode}: ${reason}`;
    if (told === this.#told) return '';
    this.#told = told;
    return `${clockTime(nowMs)}  ${told}\n`;
  }

  /** The lines for changes that arrived together: one for each way they came, and one for each gap among them. */
  changeLines(changes: readonly Change[], status: SummaryStatus, nowMs: number): string {
    const lines: string[] = [];
    let run: MemberChange[] = [];
    const end = () => {
      if (run.length > 0) lines.push(this.#line(run, status, nowMs));
      run = [];
    };
    for (const change of changes) {
      if (change.kind !== 'gap') {
        // A line names one way, and one may have taken over from the other within a batch.
        if (run[0] && run[0].via !== change.via) end();
        run.push(change);
        continue;
      }
      end();
      this.#news.clear();
      lines.push(gapLine(change, nowMs));
    }
    end();
    return lines.join('');
  }

  #line(changes: readonly MemberChange[], { lagBoundMs }: SummaryStatus, nowMs: number): string {
    const counts = { new: 0, changed: 0, gone: 0 };
    for (const change of changes) counts[this.#news.judge(change)] += 1;
    const counted = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
    const [{ via }] = changes as [MemberChange];
    const lag = this.#lag(changes, lagBoundMs);
    return `${clockTime(nowMs)}  ${via}  ${counted.join(', ')}${lag}  ${names(changes)}\n`;
  }

  #lag(changes: readonly MemberChange[], lagBoundMs: number): string {
    const live = changes.filter(({ member }) => member.time >= this.#startedAt);
    if (live.length === 0) return '';
    const bound = Number.isFinite(lagBoundMs) ? ` (at most ${formatSpan(lagBoundMs)})` : '';
    return `  lag ${formatSpan(Math.max(...live.map(({ lagMs }) => lagMs)))}${bound}`;
  }
}

/** The line that tells that what was read cannot be continued. */
export function gapLine({ from }: GapChange, nowMs: number): string {
  return `${clockTime(nowMs)}  gap   ${from} cannot be continued: the state follows anew\n`;
}

/** A span of time for people: three digits or so. */
export function formatSpan(spanMs: number): string {
  if (spanMs < 1000) return `${Math.round(spanMs)} ms`;
  if (spanMs < 99_950) return `${(spanMs / 1000).toFixed(1)} s`;
  return spanMs < 5_940_000 ? `${Math.round(spanMs / 60_000)} min` : `${Math.round(spanMs / 3_600_000)} h`;
}

/** The time of day where the command runs. */
export function clockTime(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

function names(changes: readonly MemberChange[]): string {
  const all = [...new Set(changes.map(({ member }) => entityName(member)))];
  const more = all.length - NAMES_SHOWN;
  return `${all.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

import type { Change, GapChange, LiveStatus, MemberChange, SourceStatus } from '@ldes-live/client';
import { entityName } from './entity-name.ts';
import { EntityNews } from './entity-news.ts';
import { EntityValues } from './entity-values.ts';

/** The parts of a follower's status that a summary tells. */
export type SummaryStatus = Pick<LiveStatus, 'mode' | 'reason' | 'isInTrouble' | 'isCaughtUp' | 'source' | 'dataAgeMs'>;

const ENTITIES_SHOWN = 3;
/** How many characters of the values of an entity are shown. */
const VALUES_CHARACTERS = 120;

/**
 * Tells in lines for people what a follower reads: how it reads and why, how the sources of the stream are, and what changed.
 *
 * It remembers which entities it has told of, to tell new ones from changed ones.
 */
export class Summary {
  readonly #news = new EntityNews();
  readonly #values = new EntityValues();
  readonly #feed = new FeedNews();
  #toldReason = '';
  #troubleSinceMs: number | undefined;

  /** The lines that tell mode and reason, and how the sources are; none while they are what was told last. */
  statusLines(status: SummaryStatus, nowMs: number): string {
    const reason = `${status.mode}: ${status.reason}`;
    const lines = [
      ...this.#backLine(status, nowMs),
      ...(reason === this.#toldReason ? [] : [localTimes(reason, nowMs)]),
      ...this.#feed.lines(status, nowMs),
    ];
    this.#toldReason = reason;
    return lines.map((line) => `${clockTime(nowMs)}  ${line}\n`).join('');
  }

  #backLine({ isInTrouble }: SummaryStatus, nowMs: number): string[] {
    const sinceMs = this.#troubleSinceMs;
    this.#troubleSinceMs = isInTrouble ? (sinceMs ?? nowMs) : undefined;
    return isInTrouble || sinceMs === undefined ? [] : [`back after ${formatSpan(Math.max(0, nowMs - sinceMs))}`];
  }

  /**
   * The lines for changes that arrived together: one for each way they came, with the values of some entities below it, and
   * one for each gap among them.
   */
  async changeLines(changes: readonly Change[], nowMs: number): Promise<string> {
    const lines: string[] = [];
    let run: MemberChange[] = [];
    const end = async () => {
      if (run.length > 0) lines.push(await this.#lines(run, nowMs));
      run = [];
    };
    for (const change of changes) {
      if (change.kind !== 'gap') {
        // A line names one way, and one may have taken over from the other within a batch.
        if (run[0] && run[0].via !== change.via) await end();
        run.push(change);
        continue;
      }
      await end();
      this.#news.clear();
      lines.push(gapLine(change, nowMs));
    }
    await end();
    return lines.join('');
  }

  async #lines(changes: readonly MemberChange[], nowMs: number): Promise<string> {
    const counts = { new: 0, changed: 0, gone: 0 };
    const last = new Map<string, MemberChange>();
    for (const change of changes) {
      counts[this.#news.judge(change)] += 1;
      last.set(change.member.entity, change);
    }
    const counted = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
    const [{ via }] = changes as [MemberChange];
    const lines = [`${clockTime(nowMs)}  ${via}  ${counted.join(', ')}${this.#lag(changes)}`];
    for (const change of [...last.values()].slice(0, ENTITIES_SHOWN)) {
      const values = change.kind === 'delete' ? 'gone' : await this.#values.of(change);
      const cut = values.length > VALUES_CHARACTERS ? `${values.slice(0, VALUES_CHARACTERS - 3)}...` : values;
      lines.push(`          ${entityName(change.member)}${cut === '' ? '' : `: ${cut}`}`);
    }
    const more = last.size - ENTITIES_SHOWN;
    if (more > 0) lines.push(`          and ${more} more`);
    return `${lines.join('\n')}\n`;
  }

  // What was measured of these changes alone: what is expected of the next one is another matter.
  #lag(changes: readonly MemberChange[]): string {
    const live = changes.filter(({ isLive }) => isLive);
    return live.length === 0 ? '' : `  lag ${formatSpan(Math.max(...live.map(({ lagMs }) => lagMs)))}`;
  }
}

/** What is said of a server that is cut off from the one that publishes: that its sources fail is not known then. */
export const LOST = 'this server has lost the others';

/** Sources that fail, or whose server is cut off. */
type FailingSource = Extract<SourceStatus, { readonly state: 'failing' }>;

/** Tells once that what brings the data to a stream fails, and once that it works again. */
export class FeedNews {
  #failing: FailingSource | undefined;

  /** The line that tells what has become different since the last look, without the time of day; none where nothing has. */
  lines(
    { source, dataAgeMs, isCaughtUp }: Omit<SummaryStatus, 'mode' | 'reason' | 'isInTrouble'>,
    nowMs: number,
  ): string[] {
    const failing = source?.state === 'failing' ? source : undefined;
    // While the first is on its way, the age of the data is not known yet.
    const before = this.#failing;
    const isSame = failing?.since === before?.since && failing?.completeTo === before?.completeTo;
    if (isSame || (dataAgeMs === undefined && !isCaughtUp)) return [];
    this.#failing = failing;
    if (failing) return [failingText(failing, dataAgeMs, nowMs)];
    const again = before?.completeTo === undefined ? 'the source works again' : 'this server has the others again';
    return source ? [again + ageText(dataAgeMs)] : [];
  }
}

/** Since when what brings the data to a stream fails, and how old they are. */
export function failingText(failing: FailingSource, dataAgeMs: number | undefined, nowMs: number): string {
  const { since, completeTo } = failing;
  const said = completeTo === undefined ? `the source has been failing since ${since}` : `${LOST} since ${completeTo}`;
  return localTimes(`${said}${ageText(dataAgeMs)}`, nowMs);
}

function ageText(dataAgeMs: number | undefined): string {
  return dataAgeMs === undefined ? '' : `; the newest data are ${formatSpan(dataAgeMs)} old`;
}

/** The line that tells that what was read cannot be continued. */
export function gapLine({ from }: GapChange, nowMs: number): string {
  return `${clockTime(nowMs)}  gap   ${from} cannot be continued: the state follows anew\n`;
}

/** A span of time for people: three digits or so. */
export function formatSpan(spanMs: number): string {
  const stepMs = stepOf(spanMs);
  const steps = Math.round(spanMs / stepMs);
  if (stepMs === 100) return `${(steps / 10).toFixed(1)} s`;
  return `${steps} ${stepMs === 1 ? 'ms' : stepMs === 60_000 ? 'min' : 'h'}`;
}

/** A lag for people; where rounding would bring it to the other side of the MAL, in whole milliseconds. */
export function formatLag(lagMs: number, malMs: number): string {
  const stepMs = stepOf(lagMs);
  const shownMs = Math.round(lagMs / stepMs) * stepMs;
  return shownMs > malMs === lagMs > malMs ? formatSpan(lagMs) : `${Math.ceil(lagMs)} ms`;
}

/** Whether a lag bound says anything: by push it is 0 before the first delivery, and `Infinity` before the first read. */
export function isExpectation(lagBoundMs: number): boolean {
  return lagBoundMs > 0 && Number.isFinite(lagBoundMs);
}

function stepOf(spanMs: number): number {
  if (spanMs < 1000) return 1;
  if (spanMs < 99_950) return 100;
  return spanMs < 5_940_000 ? 60_000 : 3_600_000;
}

/** The time of day where the command runs. */
export function clockTime(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

const SINCE = /(?<=\bsince )\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A text for people with times of day where the command runs in place of those in UTC; with the date, if it is another. */
export function localTimes(text: string, nowMs: number): string {
  return text.replaceAll(SINCE, (utc) => {
    const timeMs = Date.parse(utc);
    const [date, today] = [timeMs, nowMs].map((eachMs) => calendarDate(new Date(eachMs)));
    return date === today ? clockTime(timeMs) : `${date} ${clockTime(timeMs)}`;
  });
}

function calendarDate(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

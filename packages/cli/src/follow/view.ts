/*
 * How a stream is followed, on a terminal, in place. What says how the reading fares goes before the last changes.
 *
 *   http://localhost:3000/vehicles                                        MAL 1 s
 *   push  MAL 1 s is below the break-even of 10 s
 *   data  900 ms old, the source works
 *   next  expected within 196 ms, caught up
 *   lag   ▁×  last 1.5 s, worst 1.5 s  (height: the MAL, ×: over it)
 *
 *   updates 2   changes 2   requests 1,204   received 1.7 MB   misses 2   gaps 0
 *
 *   10:04:06  Tram 102      new       1.5 s
 */
import type { Change, LiveStatus, MemberChange } from '@ldes-live/client';
import stringWidth from 'string-width';
import type { Environment } from '../environment.ts';
import {
  clockTime,
  formatBytes,
  formatCount,
  formatLag,
  formatSpan,
  localTimes,
  plainText,
  type TextOutput,
  wrapText,
} from '../terminal.ts';
import { fit, type ScreenSize, styled, TerminalScreen } from '../terminal-screen.ts';
import type { FollowOptions, Presentation } from './follow.ts';
import { type ChangeLabel, EntityMemory, entityName, isExpectation, LOST } from './summary.ts';

// More than any terminal has columns, and lines, for.
const LIMIT_LAGS = 1000;
const LIMIT_ROWS = 500;
/** Of changes that came together, the last whose values are shown. */
const LIMIT_VALUES = 100;
const LABEL_COLUMNS = 6;
/** An error with a URL on a line of its own, and its cause, fit into them. */
const MAX_TEXT_LINES = 4;
const MIN_GRAPH_COLUMNS = 10;
const NAME_COLUMNS = { min: 12, max: 28 };
// Of a row, without name and values.
const OTHER_COLUMNS = 42;
const LEVELS = '▁▂▃▄▅▆▇█';
// Without colour it has to be told apart too.
const MISS_MARK = '×';

interface EntityRow {
  readonly name: string;
  readonly label: ChangeLabel;
  readonly at: string;
  readonly versions: number;
  readonly lagMs: number | undefined;
  readonly values: string;
}

export class FollowView implements Presentation {
  readonly #url: string;
  readonly #malMs: number;
  readonly #clock: () => number;
  readonly #screen: TerminalScreen;
  readonly #entities = new EntityMemory();
  /** The last change of each entity, the newest last. */
  readonly #rows = new Map<string, EntityRow>();
  #changes = 0;
  /** Of the last live updates, oldest first: of what was published together, the greatest. */
  readonly #lagsMs: number[] = [];
  #lastTime = '';
  #gap = '';
  #note = '';
  #isFailing = false;
  /** The time of day when the sources of the stream worked again. */
  #recoveredAt: string | undefined;

  constructor({ url, mal }: Pick<FollowOptions, 'url' | 'mal'>, environment: Environment, output: TextOutput) {
    this.#url = url;
    this.#malMs = mal * 1000;
    this.#clock = environment.clock;
    this.#screen = new TerminalScreen(environment, output);
  }

  async print(changes: readonly Change[]): Promise<void> {
    const at = clockTime(this.#clock());
    for (const [index, change] of changes.entries()) {
      if (change.kind === 'gap') {
        this.#entities.clear();
        this.#rows.clear();
        this.#gap = `${at}  ${change.from} could not be continued: the latest state was read`;
        continue;
      }
      const isShown = index >= changes.length - LIMIT_VALUES;
      this.#take(change, at, isShown ? await this.#entities.values(change) : '');
    }
  }

  #take(change: MemberChange, at: string, values: string): void {
    const { member, isLive, lagMs } = change;
    this.#changes += 1;
    if (isLive) {
      this.#lagsMs.push(member.time === this.#lastTime ? Math.max(this.#lagsMs.pop() ?? 0, lagMs) : lagMs);
      this.#lastTime = member.time;
      if (this.#lagsMs.length > LIMIT_LAGS) this.#lagsMs.splice(0, LIMIT_LAGS / 2);
    }
    const versions = (this.#rows.get(member.entity)?.versions ?? 0) + 1;
    const label = this.#entities.changeLabel(change);
    // A map keeps the place of a key that it has: the newest is to be last.
    this.#rows.delete(member.entity);
    const row = { name: entityName(member), label, at, versions, lagMs: isLive ? lagMs : undefined, values };
    this.#rows.set(member.entity, row);
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > LIMIT_ROWS) this.#rows.delete(oldest as string);
  }

  /** Takes a text, which is shown in place of the one before it. */
  note(text: string): void {
    this.#note = text;
  }

  async refresh(status: LiveStatus): Promise<void> {
    const isFailing = status.source?.state === 'failing';
    if (this.#isFailing && !isFailing) this.#recoveredAt = clockTime(this.#clock());
    this.#isFailing = isFailing;
    await this.#screen.draw(({ columns, rows }: ScreenSize) => {
      const head = this.#headLines(status, columns);
      const counters = this.#counterLines(status, columns);
      const space = head.length + counters.length + 4 <= rows ? [''] : [];
      const top = [...head, ...space, ...counters, ...space];
      const newest = [...this.#rows.values()].reverse().slice(0, Math.max(rows - top.length, 0));
      return [...top, ...newest.map((row) => rowLine(row, columns))];
    });
  }

  #headLines(status: LiveStatus, columns: number): string[] {
    const mal = `MAL ${this.#malMs / 1000} s`;
    const label = (name: string) => name.padEnd(LABEL_COLUMNS);
    const labelled = (name: string, text: string) =>
      wrapText(text, columns - LABEL_COLUMNS, '')
        .slice(0, MAX_TEXT_LINES)
        .map((line, index) => (index === 0 ? name : label('')) + line);
    const reason = localTimes(plainText(status.reason), this.#clock());
    return [
      styled('bold', `${fit(plainText(this.#url), Math.max(columns - mal.length - 2, 1))}  ${mal}`),
      ...labelled(styled('cyan', label(status.mode)), reason),
      label('data') + this.#dataText(status),
      label('next') + nextText(status, this.#malMs),
      label('lag') + this.#lagText(status.maxLagMs, columns - LABEL_COLUMNS),
      ...(this.#gap === '' ? [] : [styled('red', label('gap')) + this.#gap]),
      ...labelled(styled('red', label('note')), this.#note),
    ];
  }

  #dataText({ source, dataAgeMs, isInTrouble }: LiveStatus): string {
    const age = dataAgeMs === undefined ? 'none yet' : `${formatSpan(dataAgeMs)} old`;
    if (source?.state === 'failing') {
      const { since, completeTo } = source;
      const failing = isInTrouble ? 'at last contact, the source was failing' : 'the source has been failing';
      const text = completeTo === undefined ? `${failing} since ${since}` : `${LOST} since ${completeTo}`;
      return styled('red', `${age}: ${localTimes(text, this.#clock())}`);
    }
    // How the sources of a server are that does not answer is not known.
    if (isInTrouble) return age + (source ? styled('dim', ', the source worked at last contact') : '');
    if (this.#recoveredAt) return age + styled('green', `, the source works again since ${this.#recoveredAt}`);
    return age + (source ? styled('dim', ', the source works') : '');
  }

  #lagText(maxLagMs: number, columns: number): string {
    const malMs = this.#malMs;
    const last = this.#lagsMs.at(-1);
    if (last === undefined) return styled('dim', 'no update yet');
    const legend = `  last ${formatLag(last, malMs)}, worst ${formatLag(maxLagMs, malMs)}`;
    const scale = `  (height: the MAL, ${MISS_MARK}: over it)`;
    // The graph is what the line is for: explanations go where there is room for both.
    const isRoomy = columns - legend.length - scale.length >= MIN_GRAPH_COLUMNS;
    const room = columns - legend.length - (isRoomy ? scale.length : 0);
    const graph = this.#lagsMs.slice(-Math.max(room, MIN_GRAPH_COLUMNS)).map((lagMs) => {
      const level = Math.floor((Math.max(lagMs, 0) / malMs) * LEVELS.length);
      return lagMs > malMs ? MISS_MARK : LEVELS[Math.min(level, LEVELS.length - 1)];
    });
    const painted = graph
      .join('')
      .replaceAll(/×+|[^×]+/g, (run) => styled(run[0] === MISS_MARK ? 'red' : 'green', run));
    return painted + legend + (isRoomy ? styled('dim', scale) : '');
  }

  #counterLines({ updates, requests, bytes, malMisses, gaps, conflated }: LiveStatus, columns: number): string[] {
    const counters: readonly (readonly [name: string, value: string, bad?: number])[] = [
      ['updates', formatCount(updates)],
      ['changes', formatCount(this.#changes)],
      ['requests', formatCount(requests)],
      ['received', formatBytes(bytes)],
      ['misses', formatCount(malMisses), malMisses],
      ['gaps', formatCount(gaps), gaps],
      ['skipped', formatCount(conflated), conflated],
    ];
    const lines: string[] = [];
    for (const [name, value, bad = 0] of counters) {
      const text = `${styled('dim', `${name} `)}${bad > 0 ? styled('red', value) : value}`;
      const longer = `${lines.at(-1)}   ${text}`;
      if (lines.length > 0 && stringWidth(longer) <= columns) lines[lines.length - 1] = longer;
      else lines.push(text);
    }
    return lines;
  }
}

// What is expected; what was measured stands in the line below it.
function nextText({ lagBoundMs, isCaughtUp }: LiveStatus, malMs: number): string {
  const bound = isExpectation(lagBoundMs)
    ? styled(lagBoundMs <= malMs ? 'green' : 'red', `expected within ${formatLag(lagBoundMs, malMs)}`)
    : styled('dim', 'not known yet');
  return bound + styled('dim', isCaughtUp ? ', caught up' : ', catching up');
}

function rowLine({ name, label, at, versions, lagMs, values }: EntityRow, columns: number): string {
  const nameColumns = Math.min(NAME_COLUMNS.max, Math.max(columns - OTHER_COLUMNS, NAME_COLUMNS.min));
  const lag = lagMs === undefined ? '' : formatSpan(lagMs);
  const count = versions > 1 ? `${formatCount(versions)} versions` : '';
  const padded = label.padEnd(8);
  const shown = label === 'changed' ? padded : styled(label === 'new' ? 'green' : 'red', padded);
  const rest = values === '' ? count : `${count.padEnd(12)}  ${values}`;
  return `${styled('dim', at)}  ${fit(name, nameColumns)}  ${shown}${lag.padStart(8)}  ${rest}`;
}

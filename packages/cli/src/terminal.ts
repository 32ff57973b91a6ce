/*
 * What people read on a terminal: output that waits for its reader, and amounts, spans and times in their words.
 *
 *   new TextOutput(stdout).write(`${formatBytes(1234567)} in ${formatSpan(20_000)}\n`) -> 1.2 MB in 20.0 s
 */
import type { CliOutput, Environment } from './environment.ts';
import { errors } from './errors.ts';

/**
 * Writes text to a stream that a person or a program reads, no faster than it is read.
 *
 * A reader that leaves, as `head` does when it has enough, is not an error: {@link TextOutput.ended} says so.
 */
export class TextOutput {
  readonly #stream: CliOutput;
  readonly #ended = new AbortController();
  #failure: Error | undefined;
  readonly #onError = (error: NodeJS.ErrnoException): void => {
    const reason = error.code ?? error.message;
    if (reason !== 'EPIPE') this.#failure ??= errors.ERR_OUTPUT({ reason }, error);
    this.#ended.abort();
  };

  constructor(stream: CliOutput) {
    this.#stream = stream;
    stream.on('error', this.#onError);
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Writes; resolves once the text has been handed on, or nobody reads any more. */
  async write(text: string): Promise<void> {
    if (text === '' || this.ended.aborted) return;
    await new Promise<void>((resolve) => {
      // A failure comes as an event as well, where it is judged.
      this.#stream.write(text, () => resolve());
    });
  }

  /** Lets go of the stream; throws ERR_OUTPUT if it could not be written for another reason than that its reader left. */
  close(): void {
    this.#stream.off('error', this.#onError);
    if (this.#failure) throw this.#failure;
  }
}

/** Writes a text that is all there is to write. A reader that has enough, such as `head`, is not an error. */
export async function printText(stream: CliOutput, text: string): Promise<void> {
  const output = new TextOutput(stream);
  await output.write(text);
  output.close();
}

export function canShowView({ stdout, env }: Environment): boolean {
  return stdout.isTTY === true && env.TERM !== 'dumb';
}

/** Text from elsewhere without what would steer a terminal: each run of control characters and spaces is one space. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}

/** Breaks a text into indented lines at spaces; a word that is longer than a line, such as a URL, stays whole. */
export function wrapText(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/**
 * Writes events, which come as lines of JSON, for a person (specs/logging.md):
 * `10:04:05 warn  source failing stream=vehicles code=ERR_FEED_STATUS message="The feed answered 503."`.
 */
export function readableLines(terminal: Pick<CliOutput, 'write'>): { write(line: string): void } {
  return {
    write: (line) => {
      const { level, time, msg, err, pid: _, hostname: __, ...fields } = JSON.parse(line);
      const fault = err && err.message !== fields.message ? { err: err.message } : {};
      const shown = Object.entries({ ...fields, ...fault }).map(([key, value]) => `${key}=${valueText(value)}`);
      terminal.write(`${[clockTime(time), (LEVELS[level] ?? String(level)).padEnd(5), msg, ...shown].join(' ')}\n`);
    },
  };
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : plainText(JSON.stringify(value));
}

const counts = new Intl.NumberFormat('en');
const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'];

export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number of things, in words for people. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A number of bytes for people, in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let [amount, unit] = [bytes, 'B'];
  for (const next of BYTE_UNITS) {
    // What would be rounded up to 1000 has to be of the next unit.
    if (amount < 999.5) break;
    [amount, unit] = [amount / 1000, next];
  }
  return `${unit === 'B' || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${unit}`;
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

function stepOf(spanMs: number): number {
  if (spanMs < 1000) return 1;
  if (spanMs < 99_950) return 100;
  return spanMs < 5_940_000 ? 60_000 : 3_600_000;
}

/** The time of day where the command runs. */
export function clockTime(timeMs: number): string {
  return new Date(timeMs).toTimeString().slice(0, 8);
}

const SINCE = /(?<=\bsince )\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A text for people with times of day where the command runs in place of those in UTC; with the date, if it is another. */
export function localTimes(text: string, nowMs: number): string {
  return text.replaceAll(SINCE, (utc) => {
    const timeMs = Date.parse(utc);
    const date = calendarDate(timeMs);
    return date === calendarDate(nowMs) ? clockTime(timeMs) : `${date} ${clockTime(timeMs)}`;
  });
}

// As ISO 8601 has it, which Swedes write.
function calendarDate(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString('sv');
}

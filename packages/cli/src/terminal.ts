import { clockTime } from './amounts.ts';
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
 * Writes events, which come as lines of JSON, for a person (specs/logging.md, LOG-6):
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

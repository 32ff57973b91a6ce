/* What the server says to whoever runs it: events, each with a level, a name and fields. `specs/logging.md` has the table.
 *
 *   logger.warn({ stream: 'vehicles', origin: 'a.example', code: 'ERR_FEED_STATUS' }, 'source failing')
 *     -> {"level":40,"time":1772366400000,"stream":"vehicles","origin":"a.example","code":"ERR_FEED_STATUS","msg":"source failing"}
 *
 * The name of an event is a plain string where it happens, so that a search for it finds the place. */
import { writeSync } from 'node:fs';
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

/** As Fastify takes it: options of pino, with the stream to write to, a logger that is there already, or `false`. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

/** Levels in use, the gravest first. */
const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof LEVELS)[number];

/** Writes one event: its fields (an error as `err`), then its name. */
type LogEvent = (fields: object, event: string) => void;

/** What is used of pino's loggers. */
export interface Logger extends Readonly<Record<LogLevel, LogEvent>> {
  /** Whether an event of the level is written: read once where the fields of many events cost something. */
  isLevelEnabled(level: LogLevel): boolean;
}

/** A logger of a Fastify instance, which need not be pino's. */
export function loggerOf(
  logger: FastifyBaseLogger & { readonly isLevelEnabled?: (level: LogLevel) => boolean },
): Logger {
  const { isLevelEnabled } = logger;
  if (isLevelEnabled) return logger as Logger;
  const isLevelSet = (level: LogLevel) => {
    const set = LEVELS.indexOf(logger.level as LogLevel);
    return set < 0 ? logger.level !== 'silent' : LEVELS.indexOf(level) <= set;
  };
  return {
    error: (fields, event) => logger.error(fields, event),
    warn: (fields, event) => logger.warn(fields, event),
    info: (fields, event) => logger.info(fields, event),
    debug: (fields, event) => logger.debug(fields, event),
    isLevelEnabled: isLevelSet,
  };
}

/** How long an equal event is held back after one that was written, milliseconds. */
export const REPEAT_MS = 60_000;

/** Kinds of events that are told apart at a time, by default. */
const LIMIT_REPEATED_KINDS = 1000;

/** What equal events have in common, besides their names. */
type RepeatedFields = Partial<Readonly<Record<'stream' | 'origin' | 'code' | 'reason', string>>>;

interface RepeatedKind {
  writtenAtMs: number;
  /** Writes the newest, where that is held back. */
  write?: ((suppressed: number) => void) | undefined;
  /** How many others were left out since one was written. */
  suppressed: number;
  /** Whether a timer is set for what is held back. */
  isTimed: boolean;
}

/** Calls a function after so many milliseconds, unless the process has ended by then. */
type Later = (run: () => void, afterMs: number) => void;

const unreferencedTimer: Later = (run, afterMs) => void setTimeout(run, afterMs).unref();

/**
 * Writes the first of equal events at once, and then at most one a minute: the newest, with how many were `suppressed`.
 * Equal are those with the same name, stream, origin, code and reason.
 *
 * @see specs/logging.md
 */
export class RepeatedLines {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #later: Later;
  readonly #limitKinds: number;
  readonly #kinds = new Map<string, RepeatedKind>();

  /**
   * @param clock - milliseconds
   * @param limitKinds - kinds to tell apart, 1 or more; past it, the one that came up longest ago is forgotten
   */
  constructor(logger: Logger, clock: () => number, later = unreferencedTimer, limitKinds = LIMIT_REPEATED_KINDS) {
    this.#logger = logger;
    this.#clock = clock;
    this.#later = later;
    this.#limitKinds = limitKinds;
  }

  readonly error: LogEvent = (fields, event) => this.#note('error', fields, event);
  readonly warn: LogEvent = (fields, event) => this.#note('warn', fields, event);
  readonly info: LogEvent = (fields, event) => this.#note('info', fields, event);

  /** Writes what is held back, with its number: at the end. */
  flush(): void {
    for (const known of this.#kinds.values()) this.#release(known);
    this.#kinds.clear();
  }

  /** Writes no more what is held back of an event that what follows has overtaken; it counts with the next one. */
  drop({ stream, origin }: RepeatedFields, event: string): void {
    for (const [kind, known] of this.#kinds) {
      if (!known.write || !kind.startsWith(kindOf(stream, origin, event))) continue;
      known.write = undefined;
      known.suppressed += 1;
    }
  }

  #note(level: LogLevel, fields: RepeatedFields, event: string): void {
    const kind = kindOf(fields.stream, fields.origin, event, fields.code, fields.reason);
    const write = (suppressed: number) =>
      this.#logger[level](suppressed > 0 ? { ...fields, suppressed } : fields, event);
    const known = this.#kinds.get(kind);
    const waitMs = known ? known.writtenAtMs + REPEAT_MS - this.#clock() : 0;
    if (known && waitMs > 0) {
      if (known.write) known.suppressed += 1;
      known.write = write;
      if (known.isTimed) return;
      known.isTimed = true;
      this.#later(() => {
        known.isTimed = false;
        this.#release(known);
      }, waitMs);
      return;
    }
    this.#kinds.delete(kind);
    const [oldest] = this.#kinds;
    if (oldest && this.#kinds.size >= this.#limitKinds) {
      this.#kinds.delete(oldest[0]);
      this.#release(oldest[1]);
    }
    this.#kinds.set(kind, { writtenAtMs: this.#clock(), suppressed: 0, isTimed: false });
    write(known ? known.suppressed + (known.write ? 1 : 0) : 0);
    // Its timer may still come.
    if (known) known.write = undefined;
  }

  #release(known: RepeatedKind): void {
    const { write, suppressed } = known;
    if (!write) return;
    known.write = undefined;
    known.suppressed = 0;
    known.writtenAtMs = this.#clock();
    write(suppressed);
  }
}

function kindOf(...parts: readonly (string | undefined)[]): string {
  return parts.map((part = '') => `${part}\n`).join('');
}

/** Counts what is logged at once, and then at most once a minute. */
export class LoggedCount {
  #count = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  add(): void {
    this.#count += 1;
  }

  /** How often it happened since it was logged last; 0 where that was never, or less than a minute ago. */
  take(nowMs: number): number {
    if (this.#count === 0 || nowMs - this.#loggedAtMs < REPEAT_MS) return 0;
    const count = this.#count;
    this.#count = 0;
    this.#loggedAtMs = nowMs;
    return count;
  }
}

const STANDARD_ERROR = 2;

/**
 * Takes lines for a place that may not take them, since nobody reads it fast enough, or at all: that stops no server.
 *
 * @param writeBytes - gives how many it took, or throws when it takes none
 */
export function lossyLines(writeBytes: (bytes: Uint8Array) => number): { write(line: string): void } {
  let lostLines = 0;
  /** What is left of a line of which a part was taken. */
  let rest = Buffer.alloc(0);
  const write = (line: string) => {
    try {
      if (rest.length > 0) rest = rest.subarray(writeBytes(rest));
      if (rest.length === 0) {
        const lost = { level: 40, msg: 'log lines lost', lines: lostLines };
        const bytes = Buffer.from(lostLines > 0 ? `${JSON.stringify(lost)}\n${line}` : line);
        rest = bytes.subarray(writeBytes(bytes));
        lostLines = 0;
        return;
      }
    } catch {
      // Reported before the next line that is taken.
    }
    lostLines += 1;
  };
  return { write };
}

/** Faults of the server as lines of JSON on standard error, where nothing else is asked for. */
export const DEFAULT_LOGGER: LoggerOption = {
  level: 'warn',
  stream: lossyLines((bytes) => writeSync(STANDARD_ERROR, bytes)),
};

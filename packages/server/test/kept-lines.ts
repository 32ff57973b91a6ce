import type { Logger } from '../src/logging.ts';

/** A line as a test logger keeps it. */
export interface KeptLine extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly event: string;
}

/** A logger that keeps its lines, with a clock that a test moves. */
export function keptLines() {
  const lines: KeptLine[] = [];
  const take = (level: string) => (fields: object, event: string) => void lines.push({ level, event, ...fields });
  const logger: Logger = {
    ...{ error: take('error'), warn: take('warn'), info: take('info'), debug: take('debug') },
    isLevelEnabled: () => true,
  };
  const time = { nowMs: 0 };
  return { lines, logger, time, clock: () => time.nowMs };
}

/** Lines as they are written, with the option `logger` that keeps them. */
export function parsedLines(level = 'warn') {
  const lines: Record<string, unknown>[] = [];
  return { lines, logger: { level, stream: { write: (line: string) => void lines.push(JSON.parse(line)) } } };
}

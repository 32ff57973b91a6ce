import type { CliOutput } from '../cli-process.ts';
import { plainText } from '../terminal/plain-text.ts';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/**
 * Writes events, which come as lines of JSON, for a person at a terminal:
 * `10:04:05 warn  source failing stream=vehicles code=ERR_FEED_STATUS message="The feed answered 503."`.
 *
 * @see specs/logging.md LOG-6
 */
export function readableLines(terminal: Pick<CliOutput, 'write'>): { write(line: string): void } {
  return {
    write: (line) => {
      const { level, time, msg, err, pid: _, hostname: __, ...fields } = JSON.parse(line);
      const fault = err && err.message !== fields.message ? { err: err.message } : {};
      const shown = Object.entries({ ...fields, ...fault }).map(([key, value]) => `${key}=${valueText(value)}`);
      const at = new Date(time).toTimeString().slice(0, 8);
      terminal.write(`${[at, (LEVELS[level] ?? String(level)).padEnd(5), msg, ...shown].join(' ')}\n`);
    },
  };
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : plainText(JSON.stringify(value));
}

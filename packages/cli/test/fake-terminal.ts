import type { Environment } from '../src/environment.ts';
import { Recorder } from './fake-process.ts';

/** A terminal of 80 x 24, unless said otherwise, that keeps what was written. */
export class FakeTerminal extends Recorder {
  readonly isTTY = true;
  columns = 80;
  rows = 24;

  constructor(size: { readonly columns?: number; readonly rows?: number } = {}) {
    super();
    Object.assign(this, size);
  }

  /** The lines above its cursor, by what moves the cursor and clears. */
  get screen(): string[] {
    const lines = [''];
    let row = 0;
    for (const sequence of `m${this.text}`.split('\u001b[')) {
      const [, count, code, text = ''] = /^([?\d;]*)([a-z])(.*)$/is.exec(sequence) ?? [];
      if (code === 'J') lines.length = row;
      if (code === 'A') {
        row = Math.max(row - Number(count), 0);
        lines[row] = '';
      }
      const [rest = '', ...below] = text.replaceAll('\r', '').split('\n');
      lines[row] = (lines[row] ?? '') + rest;
      for (const line of below) {
        row += 1;
        lines[row] = line;
      }
    }
    return lines.slice(0, row).map((line) => line.trimEnd());
  }
}

/** An environment with these outputs, whose clock stands. */
export function fakeEnvironment(stdout: Recorder, nowMs: number, env: Record<string, string> = {}) {
  const stderr = new Recorder();
  const { signal: interrupted } = new AbortController();
  return { env, stdout, stderr, interrupted, clock: () => nowMs, random: () => 0 } satisfies Environment;
}

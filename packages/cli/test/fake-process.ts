import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CliProcess, CliSignal } from '../src/environment.ts';

/** A place to write that keeps what was written. */
export class Recorder extends Writable {
  text = '';
  readonly #waiting = new Set<() => void>();

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
    for (const check of this.#waiting) check();
  }

  /** Resolves to the match once what was written matches. */
  until(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const check = () => {
        const match = pattern.exec(this.text);
        if (!match) return;
        this.#waiting.delete(check);
        resolve(match);
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** A place without room. */
export class FullRecorder extends Recorder {
  override _write(_chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    done(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  }
}

/** A process that is not this one. */
export interface FakeProcess extends CliProcess {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly text: string; until: Recorder['until'] };
  readonly stderr: Recorder;
  /** As the terminal would; returns whether anybody listened. */
  signal(name: CliSignal): boolean;
}

/** A process with these arguments. */
export function fakeProcess(args: readonly string[], stdout = new Recorder()): FakeProcess {
  const signals = new EventEmitter();
  return {
    argv: ['node', 'ldes-live', ...args],
    env: {},
    stdin: new Readable({ read: () => {} }),
    stdout,
    stderr: new Recorder(),
    cpuUsage: () => ({ user: 1_500_000, system: 250_000 }),
    on: (name, listener) => signals.on(name, listener),
    off: (name, listener) => signals.off(name, listener),
    signal: (name) => signals.emit(name),
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onCore } from '../child.ts';
import { endWithThis } from '../end-with-this.ts';

/** A program that takes orders and answers by lines. */
export interface LineProgram {
  readonly pid: number;
  /** The next line that begins with a word, without it. */
  next(word: string): Promise<string>;
  send(line: string): void;
  /** Ends its input, and waits for its end. */
  close(): Promise<void>;
}

/** Starts a program on a core, `undefined` for any. */
export function startLineProgram(command: readonly string[], core: number | undefined): LineProgram {
  const [file, ...args] = onCore(core, command);
  const child: ChildProcess = spawn(file as string, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  endWithThis(child);
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    next: async (word) => {
      const { value, done } = await lines.next();
      if (done || !value.startsWith(word)) throw new Error(`${command[0]} told ${value ?? 'its end'}, not ${word}`);
      return value.slice(word.length).trim();
    },
    send: (line) => void child.stdin?.write(`${line}\n`),
    close: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}

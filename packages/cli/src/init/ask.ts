import { createInterface } from 'node:readline/promises';
import { isStreamError } from '@ldes-live/rdf-stream';
import type { CliInput, Environment } from '../environment.ts';
import { errors } from '../errors.ts';

/** A question, and what an answer to it is good for. */
interface Question<Answer> {
  readonly text: string;
  /** The answer where nothing is typed; nothing when absent. */
  readonly otherwise?: string;
  /**
   * What the answer means.
   *
   * @throws {@link StreamError} with what is wrong with it
   */
  readonly read: (answer: string) => Answer | Promise<Answer>;
}

/** Asks a person something. */
export type Ask = <Answer>(question: Question<Answer>) => Promise<Answer>;

/** Questions on a terminal, and how to end them. */
export interface Questions {
  readonly ask: Ask;
  close(): void;
}

/** Questions that nobody is there to answer: the answer is what it would be otherwise. */
export const NO_QUESTIONS: Questions = {
  ask: async ({ otherwise = '', read }) => await read(otherwise),
  close: () => {},
};

/**
 * Asks on the terminal, again where an answer is good for nothing; what is printed goes to standard error, so that
 * standard output holds results only.
 */
export function terminalQuestions(stdin: CliInput, { stderr, interrupted }: Environment): Questions {
  const terminal = createInterface({ input: stdin, output: stderr });
  // Without it a question that nobody can answer any more would wait for ever.
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const signal = AbortSignal.any([interrupted, closed.signal]);
  const answerTo = async (prompt: string) => {
    try {
      return (await terminal.question(prompt, { signal })).trim();
    } catch (error) {
      throw errors.ERR_USAGE({ command: 'ldes-live init', problem: 'The questions were not answered.' }, error);
    }
  };
  return {
    ask: async ({ text, otherwise = '', read }) => {
      for (;;) {
        const answer = await answerTo(otherwise === '' ? `${text}: ` : `${text} [${otherwise}]: `);
        try {
          return await read(answer === '' ? otherwise : answer);
        } catch (error) {
          if (!isStreamError(error)) throw error;
          stderr.write(`${String(error.details.problem ?? error.message)}\n`);
        }
      }
    },
    close: () => terminal.close(),
  };
}

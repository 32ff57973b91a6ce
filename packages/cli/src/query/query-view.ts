import type { Explanation, LiveQueryStatus, LiveResult } from '@ldes-live/query';
import type { QueryCommand } from '../command-line/query-command.ts';
import type { Environment } from '../environment.ts';
import { TerminalScreen } from '../terminal/terminal-screen.ts';
import type { TextOutput } from '../terminal/text-output.ts';
import { answerTable } from './answer-table.ts';
import { explanationText } from './explanation-text.ts';
import { type QueryViewState, queryLines } from './query-lines.ts';
import type { Look, QueryPresentation } from './query-presentation.ts';
import { TermLabels } from './term-label.ts';

/** Shows the answer of a live query on a terminal, in place. */
export class QueryView implements QueryPresentation {
  readonly #command: QueryCommand;
  readonly #screen: TerminalScreen;
  readonly #labels: TermLabels;
  #explanation = '';
  #answer: QueryViewState['answer'];
  #isOverrun = false;

  constructor(command: QueryCommand, edge: Environment, output: TextOutput) {
    this.#command = command;
    this.#screen = new TerminalScreen({ terminal: edge.stdout, output, hasColour: !edge.env.NO_COLOR });
    this.#labels = new TermLabels(command.sparql, command.urls);
  }

  explain(explanation: Explanation): void {
    this.#explanation = explanationText(explanation);
  }

  async tell(result: LiveResult, look: Look): Promise<void> {
    const { window } = result;
    this.#answer = { table: answerTable(result, this.#labels), ...(window && { window }) };
    this.#isOverrun = result.overrun;
    await this.look(look);
  }

  async look({ status, nowMs, isKept }: Look): Promise<void> {
    const state: QueryViewState = {
      command: this.#command,
      nowMs,
      status,
      explanation: this.#explanation,
      ...(this.#answer && { answer: this.#answer }),
      isKept: isKept && !this.#isJustOverrun(status, nowMs),
    };
    await this.#screen.draw((size) => queryLines(state, size));
  }

  /** That an answer came late is no news for longer than it may take. */
  #isJustOverrun({ evaluatedAt }: LiveQueryStatus, nowMs: number): boolean {
    return this.#isOverrun && evaluatedAt !== undefined && nowMs - evaluatedAt.getTime() <= this.#command.mal * 1000;
  }
}

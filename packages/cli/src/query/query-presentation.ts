import type { Explanation, LiveQueryStatus, LiveResult } from '@ldes-live/query';
import type { QueryCommand } from '../command-line/query-command.ts';
import type { Environment } from '../environment.ts';
import type { TextOutput } from '../terminal/text-output.ts';
import { explanationText } from './explanation-text.ts';
import { QueryView } from './query-view.ts';
import { resultLine } from './result-line.ts';
import { SourceNotices } from './source-notices.ts';

/** How a query fares at a moment. */
export interface Look {
  readonly status: LiveQueryStatus;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Whether the answer is no older than it may be. */
  readonly isKept: boolean;
}

/** How the answers of a live query are presented. */
export interface QueryPresentation {
  /** Presents how it is answered. */
  explain(explanation: Explanation): void;
  /** Presents a result; resolves when more can be taken. */
  tell(result: LiveResult, look: Look): Promise<void>;
  /** Presents how the query fares, where that is shown. */
  look(look: Look): Promise<void>;
}

/** Chooses the presentation: a table in place where there is a terminal that can show one, else a JSON object a line. */
export function queryPresentation(command: QueryCommand, edge: Environment, output: TextOutput): QueryPresentation {
  if (edge.stdout.isTTY === true && edge.env.TERM !== 'dumb') return new QueryView(command, edge, output);
  const notices = new SourceNotices();
  return {
    explain: (explanation) => {
      edge.stderr.write(`${explanationText(explanation)}\n`);
    },
    tell: (result) => output.write(resultLine(result)),
    look: async ({ status, nowMs }) => {
      const told = notices.look(status.sources, nowMs);
      if (told !== '') edge.stderr.write(told);
    },
  };
}

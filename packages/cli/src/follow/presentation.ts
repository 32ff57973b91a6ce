import type { Change, LiveStatus } from '@ldes-live/client';
import type { FollowCommand } from '../command-line/follow-command.ts';
import type { Environment } from '../environment.ts';
import type { TextOutput } from '../terminal/text-output.ts';
import { printMembers } from './print-members.ts';
import { gapLine, Summary } from './summary.ts';
import { TerminalView } from './view/terminal-view.ts';

/** How what is read is presented. */
export interface Presentation {
  /** Presents changes that arrived together; resolves when more can be taken. */
  tell(changes: readonly Change[], status: LiveStatus): Promise<void>;
  /** Presents how the follower fares, where that is news. */
  look(status: LiveStatus): Promise<void>;
}

/**
 * Chooses the presentation: for programs what they asked for, and for people a view where there is a terminal that can
 * show one, else lines.
 */
export function presentationFor(command: FollowCommand, edge: Environment, output: TextOutput): Presentation {
  const { format } = command;
  if (format !== 'summary') return forPrograms(format, edge, output);
  const canShow = edge.stdout.isTTY === true && edge.env.TERM !== 'dumb';
  return canShow ? new TerminalView(command, edge, output) : inLines(edge, output);
}

function inLines({ clock }: Environment, output: TextOutput): Presentation {
  const summary = new Summary();
  return {
    tell: async (changes) => await output.write(await summary.changeLines(changes, clock())),
    look: (status) => output.write(summary.statusLines(status, clock())),
  };
}

// What is for people must not come between what is for programs.
function forPrograms(format: 'jsonld' | 'nq', { clock, stderr }: Environment, output: TextOutput): Presentation {
  const summary = new Summary();
  return {
    tell: async (changes) => {
      for (const change of changes) if (change.kind === 'gap') stderr.write(gapLine(change, clock()));
      await output.write(printMembers(changes, format));
    },
    look: async (status) => {
      stderr.write(summary.statusLines(status, clock()));
    },
  };
}

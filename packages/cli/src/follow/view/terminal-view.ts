import type { Change, LiveStatus } from '@ldes-live/client';
import type { FollowCommand } from '../../command-line/follow-command.ts';
import type { Environment } from '../../environment.ts';
import { TerminalScreen } from '../../terminal/terminal-screen.ts';
import type { TextOutput } from '../../terminal/text-output.ts';
import { EntityValues } from '../entity-values.ts';
import type { Presentation } from '../presentation.ts';
import { clockTime } from '../summary.ts';
import { ChangeRecord } from './change-record.ts';
import { viewLines } from './view-lines.ts';

/** Of changes that came together, the last whose values are told: more than most terminals have lines for. */
const LIMIT_VALUES = 100;

/** Shows on a terminal how a stream is followed, in place. */
export class TerminalView implements Presentation {
  readonly #command: Pick<FollowCommand, 'url' | 'mal'>;
  readonly #clock: () => number;
  readonly #screen: TerminalScreen;
  readonly #record = new ChangeRecord();
  readonly #values = new EntityValues();
  #isFailing = false;
  #recoveredAt: string | undefined;

  constructor(command: Pick<FollowCommand, 'url' | 'mal'>, edge: Environment, output: TextOutput) {
    this.#command = command;
    this.#clock = edge.clock;
    this.#screen = new TerminalScreen({ terminal: edge.stdout, output, hasColour: !edge.env.NO_COLOR });
  }

  /** Takes changes; {@link TerminalView.look} shows them. */
  async tell(changes: readonly Change[]): Promise<void> {
    const values = new Map<Change, string>();
    for (const change of changes.slice(-LIMIT_VALUES)) {
      if (change.kind !== 'gap') values.set(change, await this.#values.of(change));
    }
    this.#record.take(changes, this.#clock(), values);
  }

  /** Draws how things stand. */
  async look(status: LiveStatus): Promise<void> {
    const { url, mal } = this.#command;
    const [nowMs, record] = [this.#clock(), this.#record];
    const isFailing = status.source?.state === 'failing';
    if (this.#isFailing && !isFailing) this.#recoveredAt = clockTime(nowMs);
    this.#isFailing = isFailing;
    const recoveredAt = this.#recoveredAt;
    await this.#screen.draw((size) => viewLines({ url, nowMs, malMs: mal * 1000, status, record, recoveredAt }, size));
  }
}

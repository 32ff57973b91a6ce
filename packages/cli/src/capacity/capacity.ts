import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapacityCommand } from '../command-line/capacity-command.ts';
import type { Environment } from '../environment.ts';
import { TextOutput } from '../terminal/text-output.ts';
import { capacityJson, capacityReport } from './capacity-report.ts';
import { capacityText } from './capacity-text.ts';
import { type MeasureEdge, measureUrl } from './measure-url.ts';

/**
 * Reckons what it takes to serve so many readers, and prints it.
 *
 * @throws {@link StreamError} `ERR_MEASURE` - the URL to measure does not answer as it has to
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @see specs/capacity.md
 */
export async function capacity(command: CapacityCommand, edge: Environment): Promise<void> {
  const { measure } = command;
  const measured = measure === undefined ? undefined : await measureUrl(measure, measureEdge(edge));
  const report = capacityReport(command, measured);
  const output = new TextOutput(edge.stdout);
  await output.write(command.format === 'json' ? capacityJson(report) : capacityText(report));
  output.close();
}

function measureEdge({ clock, interrupted, cpuUsage }: Environment): MeasureEdge {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return {
    fetch,
    clock,
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    interrupted,
    cpuMicros: () => {
      const { user = 0, system = 0 } = cpuUsage?.() ?? {};
      return user + system;
    },
    userAgent: `ldes-live/${version} (capacity)`,
  };
}

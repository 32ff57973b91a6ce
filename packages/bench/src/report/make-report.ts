import { isPinnable } from '../child.ts';
import { thisMachine } from '../machine.ts';
import type { Asked, ExperimentEdge } from '../old-experiment.ts';
import { packageVersions } from '../package-versions.ts';
import type { Report } from './report.ts';

/** What tells an experiment from others. */
export interface ExperimentWords extends Pick<Report, 'title' | 'about' | 'source'> {
  /** Its name on the command line. */
  readonly name: string;
}

/** What an experiment found itself: all of a report that is not the same for all experiments. */
export interface Found extends Omit<Report, 'experiment' | keyof ExperimentWords | CommonField> {
  /** Versions of what took part, beside those of Node.js and of this framework. */
  readonly versions?: Report['versions'];
}

type CommonField = 'command' | 'startedAt' | 'tookSeconds' | 'isQuick' | 'seed' | 'machine' | 'versions';

/**
 * The report of an experiment that has ended now, with what all reports state: when, where, by which versions.
 *
 * @param startedAtMs - when it began, epoch milliseconds
 */
export function makeReport(
  { name, title, about, source }: ExperimentWords,
  asked: Asked,
  { clock }: Pick<ExperimentEdge, 'clock'>,
  startedAtMs: number,
  { versions, ...found }: Found,
): Report {
  return {
    experiment: name,
    title,
    about,
    ...(source !== undefined && { source }),
    startedAt: new Date(startedAtMs).toISOString(),
    tookSeconds: (clock() - startedAtMs) / 1000,
    isQuick: asked.quick,
    seed: asked.seed,
    machine: { ...thisMachine(), pinned: isPinnable() },
    versions: {
      'Node.js': process.versions.node,
      ...packageVersions(['@ldes-live/server', '@ldes-live/client']),
      ...versions,
    },
    ...found,
    // Which measurements were run is a part of the workload: a run of some is not compared with one of all.
    workload: asked.only.length === 0 ? found.workload : { only: onlyText(asked.only), ...found.workload },
  };
}

/** Names of measurements, the same however they were given. */
function onlyText(only: readonly string[]): string {
  return [...new Set(only)].sort().join(', ');
}

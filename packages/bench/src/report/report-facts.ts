import type { Report } from './report.ts';
import type { ReportSummary } from './summary-of.ts';

/** What is to be known of a run besides its figures: names and values, in the order in which they are shown. */
export function factsOf(report: ReportSummary): readonly (readonly [name: string, value: string])[] {
  const { machine } = report;
  return [
    ...(report.source === undefined ? [] : [['Source', report.source] as const]),
    ...(report.command === undefined ? [] : [['Command', report.command] as const]),
    ['Begun', `${report.startedAt}, took ${durationText(report.tookSeconds)}`],
    ['Machine', machineText(machine)],
    ['Versions', listed(Object.entries(report.versions), (version) => version)],
    ['Workload', listed(Object.entries(report.workload), workloadText)],
    ['Repeats of each measurement', String(report.repeats)],
    ['Seed', String(report.seed)],
  ];
}

/** A machine in one line, and whether servers and loads had cores of their own. */
export function machineText(machine: Report['machine']): string {
  const pinned = machine.pinned ? 'servers and loads each on a core of their own' : 'nothing held to a core';
  const { cpu, cores, memoryGib, platform, node } = machine;
  return `${cpu}, ${cores} cores, ${memoryGib} GiB, ${platform}, Node.js ${node}; ${pinned}`;
}

/** What was lacking for figures that may be quoted, and what a reader has to know: `quick` first. */
export function warningsOf(report: ReportSummary): readonly string[] {
  return report.isQuick ? [QUICK, ...report.warnings] : report.warnings;
}

const QUICK =
  'Quick: these rounds are too few and too short for figures. They show that it works: there is nothing to quote.';

/** A time as people say it: `45 s`, `12 min 30 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  const rounded = Math.round(whole / 60);
  return rounded % 60 === 0 ? `${rounded / 60} h` : `${Math.floor(rounded / 60)} h ${rounded % 60} min`;
}

function listed<T>(entries: readonly (readonly [string, T])[], text: (value: T) => string): string {
  return entries.length === 0 ? 'none' : entries.map(([name, value]) => `${name} ${text(value)}`).join('; ');
}

function workloadText(value: number | string | readonly number[]): string {
  const values = typeof value === 'object' ? value : [value];
  return values.map((one) => (typeof one === 'number' ? one.toLocaleString('en-GB') : one)).join(', ');
}

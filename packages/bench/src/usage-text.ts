import type { Catalogue } from './command-line.ts';
import type { Asked, Experiment, ExperimentOption } from './experiment.ts';
import { roundedText } from './progress-text.ts';
import { wrapText } from './report/wrap-text.ts';

const WIDTH = 11;
const [COLUMNS, INDENT] = [80, 15];

/** A run of all that an experiment has, as it is planned. */
const FULL: Asked = { quick: false, only: [], seed: 1 };

/** How the command is used. */
export function usageText({ experiments, beyondAll }: Catalogue): string {
  const withOption = (option: ExperimentOption) =>
    namesOf(experiments.filter(({ options }) => options?.includes(option)));
  return `Runs an experiment on this machine and reports what it found.

  ldes-live bench EXPERIMENT|all [--quick] [--out DIR] [--repeat N] [--seed N]
                  [--clients N,N,...] [--duration SECONDS] [--mal S,S,...]
                  [--only NAME]...

${experiments.map(({ name, about }) => `  ${name.padEnd(WIDTH)} ${about}`).join('\n')}
  ${allLine({ experiments, beyondAll })}

  --quick      fewer and shorter rounds: to see that it works, nothing to quote
  --out DIR    write the report to DIR: report.html of all reports that are
               there, and for each experiment its figures, its JSON and every
               latency; a report of the same workload that is there already is
               compared with the new, one of another is kept under another name
  --repeat N   rounds (${withOption('repeat')})
  --clients N  numbers of clients (${withOption('clients')})
  --duration S how long each measurement lasts, seconds
               (${withOption('duration')})
  --mal S      MALs of polling clients, seconds (${withOption('mal')})
  --only NAME  only this measurement; may be given several times:
${measurementLines(experiments).join('\n')}
  --seed N     what all random numbers come from (default: 1)

Options that not all have go, with all, to those that have them. Progress goes to
standard error, the report to standard output. It ends with 0, 1 when an
experiment failed, 2 for a wrong command line. Ctrl-C ends it with what it
started.
`;
}

function allLine({ experiments, beyondAll }: Catalogue): string {
  const leftOut = experiments.filter(({ name }) => beyondAll.includes(name));
  const names = leftOut.map(({ name }) => name).join(' and ');
  const times = leftOut.map((experiment) => roundedText(experiment.expectedSeconds(FULL))).join(' and ');
  const without = leftOut.length === 0 ? '' : ` but ${names}, which would take another ${times}`;
  return `${'all'.padEnd(WIDTH)} all of them${without}`;
}

function measurementLines(experiments: readonly Experiment[]): readonly string[] {
  return experiments
    .filter(({ measurements }) => measurements.length > 0)
    .flatMap(({ name, measurements }) => {
      const [first = '', ...others] = wrapText(`of ${name}: ${measurements.join(', ')}`, COLUMNS - INDENT - 2);
      return [first, ...others.map((line) => `  ${line}`)].map((line) => `${' '.repeat(INDENT)}${line}`);
    });
}

function namesOf(experiments: readonly Experiment[]): string {
  return experiments.length === 0 ? 'none' : experiments.map(({ name }) => name).join(', ');
}

import type { Experiment } from '../src/experiment.ts';
import { type Found, makeReport } from '../src/report/make-report.ts';

/** What a report is of that found nothing. */
export const NOTHING: Found = {
  workload: {},
  repeats: 1,
  warnings: [],
  sections: [],
  ratios: {},
  histograms: {},
  data: {},
};

/** An experiment that takes no time. */
export function fakeExperiment(name: string, parts: Partial<Experiment> = {}): Experiment {
  return {
    name,
    about: `what ${name} is about`,
    measurements: [],
    expectedSeconds: () => 10,
    run: async (asked, edge) => {
      edge.onProgress('half', 0.5);
      return makeReport({ name, title: `Title of ${name}`, about: 'About.' }, asked, edge, 0, NOTHING);
    },
    ...parts,
  };
}

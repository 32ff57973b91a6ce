import { jsonBinding, type LiveResult, writeQuad } from '@ldes-live/query';

/**
 * A result as programs read it: a JSON object in a line. Solutions are as in SPARQL Results JSON, quads as in N-Quads.
 *
 * @see specs/query.md QUERY-96
 */
export function resultLine(result: LiveResult): string {
  const { sequence, evaluatedAt, dataAsOf, evaluationMs, overrun, window } = result;
  const facts = { dataAsOf, evaluatedAt, evaluationMs: Math.round(evaluationMs), overrun, ...(window && { window }) };
  return `{"sequence":${sequence},${answerOf(result)},${JSON.stringify(facts).slice(1)}\n`;
}

function answerOf(result: LiveResult): string {
  switch (result.form) {
    case 'boolean':
      return `"boolean":${result.value}`;
    case 'quads':
      return `"added":${lines(result.added)},"removed":${lines(result.removed)}`;
    case 'bindings': {
      const solutions = (rows: (typeof result)['added']) =>
        `[${rows.map((row) => jsonBinding(row, result.variables)).join(',')}]`;
      // Where the order counts, what came and went does not say where.
      if (result.kind === 'snapshot') return `"bindings":${solutions(result.bindings())}`;
      return `"added":${solutions(result.added)},"removed":${solutions(result.removed)}`;
    }
  }
}

function lines(quads: Parameters<typeof writeQuad>[0][] | readonly Parameters<typeof writeQuad>[0][]): string {
  return JSON.stringify(quads.map((quad) => writeQuad(quad).trimEnd()));
}

import type { Evidence } from './evidence/evidence.ts';
import type { CheckExtent } from './extent.ts';
import { countOf, type Finding } from './judge.ts';
import type { PollingCost } from './polling-cost.ts';

/** All that a check has to tell. */
export interface CheckReport {
  readonly evidence: Evidence;
  readonly findings: readonly Finding[];
  readonly polling: PollingCost | undefined;
  readonly extent: CheckExtent;
}

/** The report as JSON, indented, for programs. @see specs/check.md */
export function jsonReport({ evidence, findings, polling, extent }: CheckReport): string {
  const { iri, stream, nodes } = evidence;
  const report = {
    url: iri,
    root: nodes[0]?.document.url,
    stream: stream?.iri,
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    advice: countOf(findings, 'advice'),
    findings: findings.map(({ rule: { check: _, ...rule }, observations }) => ({ ...rule, observations })),
    polling,
    extent,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

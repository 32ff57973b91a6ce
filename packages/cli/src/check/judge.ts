import type { Evidence } from './evidence/evidence.ts';
import type { Observation, Rule, Severity } from './rules/rule.ts';
import { rules } from './rules/rules.ts';

/** A rule that is broken, and where. */
export interface Finding {
  readonly rule: Rule;
  /** One at least. */
  readonly observations: readonly Observation[];
}

/** The broken rules, by number. */
export function judge(evidence: Evidence): Finding[] {
  return rules
    .map((rule) => ({ rule, observations: rule.check(evidence) }))
    .filter(({ observations }) => observations.length > 0);
}

/** How many rules of a severity are broken. */
export function countOf(findings: readonly Finding[], severity: Severity): number {
  return findings.filter(({ rule }) => rule.severity === severity).length;
}

/**
 * What the command ends with: 0 for nothing or advice only, 3 for warnings, 1 for errors or where there was no
 * stream to check.
 *
 * @see specs/check.md
 */
export function exitCode(evidence: Evidence, findings: readonly Finding[]): 0 | 1 | 3 {
  if (evidence.nodes.length === 0 || countOf(findings, 'error') > 0) return 1;
  return countOf(findings, 'warning') > 0 ? 3 : 0;
}

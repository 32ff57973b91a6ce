/** What was odd, by name, how often. */
export type FindingCounts = Map<string, number>;

/** Counts a finding once more, or as often as said. */
export function countFinding(findings: FindingCounts, name: string, count = 1): void {
  findings.set(name, (findings.get(name) ?? 0) + count);
}

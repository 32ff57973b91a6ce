import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_CHECK_LIMITS } from '../../src/check/check-limits.ts';
import { exitCode } from '../../src/check/judge.ts';
import { rules } from '../../src/check/rules/rules.ts';
import { helpTexts } from '../../src/help-text.ts';

const text = readFileSync(new URL('../../../../specs/check.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\| (CHK-\d+) +\| (\w+) +\| (.*?) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);

test('the specification has every rule as it is checked, and no other', () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(rows).toEqual(rules.map(({ id, severity, title, source }) => [id, severity, title, source]));
});

test('the specification and the help name the exit codes and the default of --pages', () => {
  const evidence = { iri: 'http://a/', way: [], knownNodes: 1, probes: [], push: [], refusals: [] };
  const nodes = [{}] as never;
  const finding = (severity: string) =>
    [{ rule: rules.find((rule) => rule.severity === severity), observations: [] }] as never;
  const codes = [
    exitCode({ ...evidence, nodes }, []),
    exitCode({ ...evidence, nodes }, finding('advice')),
    exitCode({ ...evidence, nodes }, finding('warning')),
    exitCode({ ...evidence, nodes }, finding('error')),
    exitCode({ ...evidence, nodes: [] }, []),
  ];
  expect(codes).toEqual([0, 0, 3, 1, 1]);
  for (const code of [0, 1, 2, 3]) expect(text).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  expect(helpTexts.check).toContain(`(default: ${DEFAULT_CHECK_LIMITS.pages})`);
  expect(text).toContain(`${DEFAULT_CHECK_LIMITS.pages} pages`);
});

/* What an installation brings along may be passed on: each package has a licence that asks for no more than its notice. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
];

/** Those that state none in its field, as they state it elsewhere. */
const STATED: Readonly<Record<string, string>> = {
  // "licenses": [{ "type": "FreeBSD" }]
  negotiate: 'BSD-2-Clause',
};

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Whether one of the choices that an SPDX expression gives has allowed licences alone. */
function isAllowed(expression: string): boolean {
  const inner = expression.replace(/^\((.*)\)$/, '$1');
  return inner.split(' OR ').some((choice) => choice.split(' AND ').every((id) => ALLOWED.includes(id)));
}

/** Names and licences of what is installed without tools, where the licence is not allowed. */
function refused(packages: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(packages).flatMap(([path, { license, dev, link }]) => {
    const name = path.split('node_modules/').at(-1) as string;
    if (!path.includes('node_modules/') || dev || link) return [];
    const stated = license ?? STATED[name] ?? 'none stated';
    return isAllowed(stated) ? [] : [`${name}: ${stated}`];
  });
}

test('every package of the production tree has an allowed licence', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(refused(packages)).toEqual([]);
});

test('another licence, none, and one of two that both hold are refused', () => {
  const of = (license?: string, more: Partial<Locked> = {}) => ({
    'node_modules/a': { ...(license && { license }), ...more },
  });
  for (const allowed of ['MIT', '(WTFPL OR MIT)', '(MIT AND Zlib)']) expect(refused(of(allowed))).toEqual([]);
  for (const wrong of ['AGPL-3.0', 'SEE LICENSE IN x', '(MIT AND GPL-2.0)'])
    expect(refused(of(wrong))).toEqual([`a: ${wrong}`]);
  expect(refused(of())).toEqual(['a: none stated']);
  expect(refused(of('AGPL-3.0', { dev: true }))).toEqual([]);
});

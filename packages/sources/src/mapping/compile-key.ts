import { type Compiling, compilePath, pathIdentity } from './compiling.ts';
import { PathMistake, parsePath } from './paths.ts';
import type { KeyPlan } from './record-plan.ts';
import type { MappedValue, Mapping } from './schema.ts';
import type { SubjectTemplate } from './templates.ts';

/**
 * Compiles what tells the records of a mapping apart; mistakes are noted.
 *
 * @see specs/mappings.md MAP-9
 */
export function compileKey(mapping: Mapping, template: SubjectTemplate, compiling: Compiling): KeyPlan {
  const subject = template(mapping.subject, ['subject'], mapping.key ? 'keyed' : 'entity');
  const series = mapping.series === undefined ? {} : { series: template(mapping.series, ['series'], 'entity') };
  const variables = mapping.variables ?? {};
  const inSubject = new Set(
    subject.names
      .flatMap((name) => (Object.hasOwn(variables, name) ? pathsOfValue(variables[name]) : [name]))
      .map(identityOf),
  );
  const keys = (mapping.key ?? []).map((text, index) => {
    const place = { at: ['key', index], path: text };
    const path = compilePath(text, place.at, compiling);
    if (path.many) compiling.mistakes.add(place.at, 'a path without [*] was expected: it has one value');
    if (!inSubject.has(pathIdentity(path.parsed))) {
      compiling.mistakes.add(
        place.at,
        `"${text}" tells records apart, and "subject" does not have it: two keys would have one IRI`,
      );
    }
    return { path, place };
  });
  return { keys, subject, ...series };
}

function pathsOfValue(value: MappedValue | undefined): readonly string[] {
  return value?.path === undefined ? (value?.paths ?? []) : [value.path];
}

function identityOf(text: string): string {
  try {
    return pathIdentity(parsePath(text));
  } catch (error) {
    // Where it stands it is a mistake already.
    if (error instanceof PathMistake) return text;
    throw error;
  }
}

import type { ContextMapping, MappedProperty, MappedValue, Mapping } from './schema.ts';
import { ownVariables } from './templates.ts';

/**
 * Which properties of a mapping say something that is not the same whatever a document holds, where only they tell that
 * a record is one: where the IRI of its entity comes from the topic or from nowhere.
 *
 * @returns their indexes; `undefined` where the IRI tells, or no property does
 * @see specs/mappings.md MAP-99
 */
export function tellingProperties(mapping: Mapping): ReadonlySet<number> | undefined {
  const variables = mapping.variables ?? {};
  if (mapping.kind === 'observation' || subjectTells(mapping)) return undefined;
  const telling = mapping.properties.flatMap((property, index) => (tells(property, variables) ? [index] : []));
  return telling.length === 0 ? undefined : new Set(telling);
}

/** Whether the IRI of an entity comes from the document: by the template, or since the record has it of itself. */
export function subjectTells({ subject, variables = {} }: Pick<ContextMapping, 'subject' | 'variables'>): boolean {
  return subject === undefined || templateTells(subject, variables);
}

function tells({ node, iri, languagePath, ...value }: MappedProperty, variables: Mapping['variables'] = {}): boolean {
  if (valueTells(value) || languagePath !== undefined) return true;
  if (typeof iri === 'string' && templateTells(iri, variables)) return true;
  return node?.properties.some((property) => tells(property, variables)) ?? false;
}

function templateTells(template: string, variables: NonNullable<Mapping['variables']>): boolean {
  const names = [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/gu)].flatMap(([, list = '']) => list.split(','));
  return names.some((spec) => {
    const name = spec.replace(/(?:\*|:\d+)$/u, '');
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable) return valueTells(variable);
    return !ownVariables.has(name) && isOfDocument(name);
  });
}

function valueTells({ path, paths = [] }: MappedValue): boolean {
  return (path === undefined ? paths : [path]).some(isOfDocument);
}

function isOfDocument(path: string): boolean {
  return !/^\s*\$topic(?![\p{L}\p{N}_-])/u.test(path);
}

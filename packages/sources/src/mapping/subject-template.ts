import type { MappingPath } from '../errors.ts';
import { compileTemplate, type ReadVariable, type Template } from './compile-template.ts';
import { type CompiledValue, compileValue } from './compile-value.ts';
import { type Compiling, compilePath, type RecordSteps } from './compiling.ts';
import { textOf } from './lexical-form.ts';
import { RecordProblem, type ValuePlace } from './record-problem.ts';
import type { MappedValue } from './schema.ts';

/** What a template is for: entities (`keyed`: by a key that says itself what may lack), nodes, or values. */
type TemplateUse = 'entity' | 'keyed' | 'node' | 'value';

/** Compiles a template of a mapping; mistakes are noted. */
export type SubjectTemplate = (
  text: string,
  at: MappingPath,
  use: TemplateUse,
  scopes?: readonly RecordSteps[],
) => Template;

/** The names that templates have of themselves, so that no variable can have them. */
export const ownVariables: ReadonlySet<string> = new Set(['base', 'stream', 'value', 'subject']);

/**
 * Prepares the templates of a mapping: `{+base}` and `{+stream}`, `{+subject}` in nodes and values, `{value}` in
 * values, the `variables` of the mapping, and paths.
 *
 * @see specs/mappings.md MAP-8
 */
export function subjectTemplates(
  variables: Readonly<Record<string, MappedValue>>,
  urls: { readonly publicUrl: string; readonly streamUrl: string },
  compiling: Compiling,
): SubjectTemplate {
  const named = new Map(
    Object.entries(variables).map(([name, value]) => {
      const at = ['variables', name];
      if (ownVariables.has(name))
        compiling.mistakes.add(at, `templates have {${name}} of themselves: give another name`);
      return [name, ofRecord(compileValue(value, at, compiling))] as const;
    }),
  );
  return (text, at, use, scopes = compiling.scopes) => {
    const ofEntity = use === 'entity' || use === 'keyed';
    const whole = compiling.iris.expand(text);
    if (whole !== text) compiling.mistakes.add(at, `a template has no prefixes: write it out, as "${whole}"`);
    return compileTemplate(text, {
      at,
      distinct: ofEntity,
      lacking: use === 'entity' ? 'problem' : use === 'keyed' ? 'dash' : 'absent',
      mistake: (message) => compiling.mistakes.add(at, message),
      variable: (name) => {
        if (name === 'base') return urls.publicUrl;
        if (name === 'stream') return urls.streamUrl;
        if (name === 'subject' && !ofEntity) return ({ run }) => run.subject;
        if (name === 'value' && use === 'value') return (_, value) => value;
        const variable = named.get(name);
        if (variable) return variable;
        const path = compilePath(name, at, { ...compiling, scopes });
        if (path.many) compiling.mistakes.add(at, `{${name}} would be many values, and a template takes one`);
        const place = { at, path: name };
        return (scope) => singleText(path.one(scope), place);
      },
    });
  };
}

/** Variables are of the record, wherever they are used. */
function ofRecord(value: CompiledValue): ReadVariable {
  return ({ run }) => {
    let text: string | undefined;
    value.each(run.record, (found) => {
      if (text !== undefined) throw new RecordProblem(value.place, 'one value was expected, and there are more', found);
      text = textOf(found);
    });
    return text;
  };
}

function singleText(value: unknown, place: ValuePlace): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'object' ? undefined : textOf(value as string | number | boolean);
  if (text === undefined) throw new RecordProblem(place, 'a text or a number was expected', value);
  return text;
}

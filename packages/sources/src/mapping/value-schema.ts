import { z } from 'zod';

const text = z.string().min(1);

const conversion = z.union([text, z.record(z.string(), z.unknown())], {
  error: 'a converter was expected: its name, or a mapping of its name to what it takes',
});

/** The keys of where a value comes from. */
export const valueKeys = {
  path: text.optional(),
  paths: z.array(text).min(1).optional(),
  value: z.union([text, z.number(), z.boolean()], { error: 'a text, a number, true or false was expected' }).optional(),
  convert: z
    .union([text, z.array(conversion).min(1), z.record(z.string(), z.unknown())], {
      error: 'a converter, or a list of them, was expected',
    })
    .optional(),
};

interface ValueKeys {
  readonly path?: unknown;
  readonly paths?: unknown;
  readonly value?: unknown;
  readonly convert?: unknown;
  readonly datatype?: unknown;
  readonly language?: unknown;
  readonly iri?: unknown;
  readonly node?: unknown;
}

/**
 * Checks that keys fit together.
 *
 * @param use - `exactly`: a value that has to come from somewhere; `property`: one that a node or a template may make up
 */
export function valueCheck(use: 'exactly' | 'property'): z.core.CheckFn<ValueKeys> {
  return ({ value, issues }) => {
    const mistake = (message: string) => issues.push({ code: 'custom', path: [], message, input: value });
    const given = present(value, ['path', 'paths', 'value']);
    const forms = present(value, ['datatype', 'language', 'iri', 'node']);
    const makesUp = use === 'property' && (value.node !== undefined || typeof value.iri === 'string');
    if (given.length > 1)
      mistake(`only one of path, paths and value can be there, and there are ${given.join(' and ')}`);
    if (given.length === 0 && !makesUp) mistake('one of path, paths and value was expected');
    if (given.length === 0 && value.convert !== undefined) mistake('there is no value that "convert" could convert');
    if (given.length === 0 && typeof value.iri === 'string' && /\{[+#./;?&]?value\}/.test(value.iri)) {
      mistake('the template has {value}, and there is no path that it could come from');
    }
    if (forms.length > 1) {
      mistake(`only one of datatype, language, iri and node can be there, and there are ${forms.join(' and ')}`);
    }
  };
}

function present(value: ValueKeys, names: readonly (keyof ValueKeys)[]): readonly string[] {
  return names.filter((name) => value[name] !== undefined);
}

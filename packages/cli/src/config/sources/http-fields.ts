import { z } from 'zod';
import { type Environment, expandEnvironment } from '../expand-environment.ts';

const ORIGIN = /^[^\s\p{C}]{1,100}$/u;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What a configuration may say of anything that is asked for over HTTP: its name, and header fields. */
export function requestShape(environment: Environment) {
  return {
    origin: originSchema().exactOptional(),
    headers: z
      .record(checked(FIELD_NAME, 'the name of an HTTP header field'), fieldValue(environment), {
        error: 'a mapping of HTTP header fields',
      })
      .exactOptional(),
  };
}

/** The name of one source of a stream. */
export function originSchema() {
  return checked(ORIGIN, 'a name of 1 to 100 visible characters without spaces');
}

/** A text of a pattern. */
export function checked(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, expected);
}

/** A text in which `${NAME}` stands for an environment variable. */
export function expandedText(environment: Environment, pattern: RegExp, expected: string) {
  return z.string({ error: expected }).transform((value, context) => {
    const { text, missing } = expandEnvironment(value, environment);
    for (const name of missing) {
      context.addIssue({ code: 'custom', message: `the environment variable ${name} to be set`, input: value });
    }
    // One mistake at a time: what is not set is no value that could be wrong.
    if (missing.length === 0 && !pattern.test(text)) {
      context.addIssue({ code: 'custom', message: expected, input: value });
    }
    return text;
  });
}

function fieldValue(environment: Environment) {
  return expandedText(environment, FIELD_VALUE, 'the text of an HTTP header field');
}

/** An http or https URL. */
export function httpUrl(expected: string) {
  return z.string({ error: expected }).refine(isHttpUrl, expected);
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

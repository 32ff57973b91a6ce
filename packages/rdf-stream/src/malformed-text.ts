import type { StreamError } from './errors.ts';
import { errors } from './errors.ts';
import type { Format } from './protocol.ts';

/** What the parser of the text formats tells of what it does not understand. */
interface ParserError extends Error {
  readonly context?: { readonly line?: number; readonly token?: { readonly type: string; readonly value: string } };
}

/**
 * The error for a text that the parser of the text formats does not understand.
 *
 * @param cause - as the parser threw it
 * @param linesBefore - how many lines stand before those that it was given. @defaultValue 0
 */
export function malformedText(format: Format, cause: unknown, linesBefore = 0): StreamError {
  const { message, context } = cause as ParserError;
  const line = context?.line === undefined ? undefined : context.line + linesBefore;
  const token = context?.token;
  if (message.startsWith('Invalid IRI') && token?.type === 'IRI') {
    return errors.ERR_TERM_UNSUPPORTED({ term: `<${token.value}>` }, cause);
  }
  const problem = message.replace(/ on line \d+\.?$/, '').replace(/[^.]$/, '$&.');
  return errors.ERR_RDF_MALFORMED({ format, line, problem }, cause);
}

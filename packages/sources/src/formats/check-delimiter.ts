import { errors } from '../errors.ts';

/**
 * Checks what is to stand between the columns of CSV.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not one character, or one that CSV needs itself
 */
export function checkDelimiter(delimiter: string): string {
  if (/^[^"\r\n]$/.test(delimiter)) return delimiter;
  const expected = 'one character that is neither a quote nor a line break';
  throw errors.ERR_SOURCE_OPTION({ option: 'delimiter', value: JSON.stringify(delimiter), expected });
}

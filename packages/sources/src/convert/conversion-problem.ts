/**
 * What a value, or the argument of a converter, should have been. The mapping that meets it names the record, the line
 * and the path in an error of its own.
 *
 * @see specs/mapping-values.md MAP-50
 */
export class ConversionProblem extends Error {
  override readonly name = 'ConversionProblem';
}

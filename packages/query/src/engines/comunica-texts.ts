/*
The limit on texts that a query makes. A query that doubles a text thirty times asks for more memory at once than the limit of a
thread can refuse, and ends the process. So lengths are computed before a text is made.

boundConcat      CONCAT        counts what its arguments have
boundReplace     REPLACE       counts what may replace each match
boundResult      ENCODE_FOR_URI, UCASE, LCASE   checks the result, which is at most a few times as long as the argument
boundGroupConcat GROUP_CONCAT  counts what is put into each group

No other function of SPARQL makes a text that is longer than those it is given.
*/
import type {
  IActionFunctionFactory,
  IActorFunctionFactoryOutput,
  ITermFunction,
} from '@comunica/bus-function-factory';
import type { IActionContext } from '@comunica/types';
import type { Term } from '@rdfjs/types';
import { TermFunctionRegex } from '#comunica';
import { errors } from '../errors.ts';
import { evaluationOf } from './comunica-evaluation.ts';

type AskFunction = (action: IActionFunctionFactory) => Promise<IActorFunctionFactoryOutput>;
type FunctionMade = ReturnType<AskFunction>;

/** Fails the evaluation where a text would be too long, even where the query ignores errors. */
function checkLength(context: IActionContext, chars: number, factor = 1): void {
  const evaluation = evaluationOf(context);
  const limitTextChars = evaluation?.limitTextChars ?? Number.POSITIVE_INFINITY;
  if (chars <= limitTextChars * factor) return;
  const error = errors.ERR_TEXT_TOO_LONG({ limitTextChars });
  evaluation?.fail(error);
  throw error;
}

export async function boundConcat(action: IActionFunctionFactory, ask: AskFunction): FunctionMade {
  const made = await ask(action);
  const { apply } = made;
  made.apply = (given) => {
    const { exprEval } = given;
    let chars = 0;
    const evaluate: typeof exprEval.evaluatorExpressionEvaluation = async (...argument) => {
      const term = await exprEval.evaluatorExpressionEvaluation(...argument);
      chars += textOf(term).length;
      checkLength(action.context, chars);
      return term;
    };
    return apply({
      ...given,
      exprEval: Object.create(exprEval, { evaluatorExpressionEvaluation: { value: evaluate } }),
    });
  };
  return made;
}

export async function boundResult(action: IActionFunctionFactory, ask: AskFunction): FunctionMade {
  return bound(action, ask, () => undefined);
}

// The count is too high where a reference stands for a part of its match.
const SAFE_FACTOR = 16;

export async function boundReplace(action: IActionFunctionFactory, ask: AskFunction): FunctionMade {
  return bound(action, ask, (terms) => {
    const [text = '', pattern = '', replacement = '', flags = ''] = terms.map(textOf);
    const references = replacement.split('$').length - 1;
    const charsFor = (reference: number) => replacement.length + references * reference;
    // Nearly all are far below the limit: then nothing has to be counted.
    const maxChars = (text.length + 1) * (1 + charsFor(text.length));
    const limitTextChars = evaluationOf(action.context)?.limitTextChars ?? Number.POSITIVE_INFINITY;
    if (maxChars <= limitTextChars) return;
    const refersOutside = /\$[`']/.test(replacement);
    let chars = text.length;
    for (const match of text.matchAll(expressionOf(pattern, flags))) {
      const longest = refersOutside ? text.length : Math.max(...match.map((part = '') => part.length));
      chars += charsFor(longest);
      checkLength(action.context, chars, SAFE_FACTOR);
    }
  });
}

/** A regular expression as Comunica's REPLACE reads it. */
function expressionOf(pattern: string, given: string): RegExp {
  const flags = TermFunctionRegex.cleanFlags(given);
  const spaced = flags.includes('x') ? TermFunctionRegex.flagX(pattern) : pattern;
  const read = flags.includes('q') ? TermFunctionRegex.flagQ(spaced) : spaced;
  return new RegExp(read, `${flags.replaceAll(/[qx]/g, '')}g`);
}

async function bound(
  action: IActionFunctionFactory,
  ask: AskFunction,
  check: (terms: readonly object[]) => void,
): FunctionMade {
  const made = (await ask(action)) as ITermFunction;
  const { applyOnTerms } = made;
  made.applyOnTerms = (terms, evaluator) => {
    check(terms);
    const result = applyOnTerms.call(made, terms, evaluator);
    checkLength(action.context, textOf(result).length);
    return result;
  };
  return made;
}

function textOf(term: object): string {
  const { typedValue } = term as { readonly typedValue?: unknown };
  return typeof typedValue === 'string' ? typedValue : '';
}

interface AggregatorAction {
  readonly context: IActionContext;
  readonly expr: { readonly separator?: string };
}

interface Aggregator {
  putTerm(term: Term): void;
}

export async function boundGroupConcat(
  action: AggregatorAction,
  ask: (action: AggregatorAction) => Promise<Aggregator>,
): Promise<Aggregator> {
  const made = await ask(action);
  const { putTerm } = made;
  const { separator = ' ' } = action.expr;
  let chars = -separator.length;
  made.putTerm = (term) => {
    chars += separator.length + term.value.length;
    checkLength(action.context, chars);
    putTerm.call(made, term);
  };
  return made;
}

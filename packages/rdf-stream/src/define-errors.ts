import { type ErrorCode, type ErrorDetails, StreamError } from './stream-error.ts';

// biome-ignore lint/suspicious/noExplicitAny: the values' type is each template's own; `never` would hide it from callers.
type Template = (values: any) => string;

/** Message templates by code: each says what happened, with which value, and what to do. */
export type ErrorTable = Readonly<Record<ErrorCode, Template>>;

/** One factory for each code of a table: values, and the cause if there is one, to an error. */
export type ErrorFactories<Table extends ErrorTable> = {
  readonly [Code in keyof Table & ErrorCode]: (values: Parameters<Table[Code]>[0], cause?: unknown) => StreamError;
};

/**
 * Makes a package's error factories from its table of messages.
 *
 * @example
 * ```ts
 * const errors = defineErrors({
 *   ERR_PORT_BUSY: ({ port }: { port: number }) => `Port ${port} is in use: choose another by --port.`,
 * });
 * throw errors.ERR_PORT_BUSY({ port: 3000 });
 * ```
 * @see specs/errors.md
 */
export function defineErrors<Table extends ErrorTable>(table: Table): ErrorFactories<Table> {
  const entries = Object.entries(table).map(([code, message]) => [
    code,
    (values: ErrorDetails, cause?: unknown) => new StreamError(code as ErrorCode, message(values), values, cause),
  ]);
  return Object.fromEntries(entries) as ErrorFactories<Table>;
}

/** What of the buses is used here, on which Comunica's actors stand. */
export interface ActorBus {
  readonly actors?: readonly ComunicaActor[];
  subscribeObserver?(observer: { onRun(actor: unknown, action: object, output: Promise<object>): void }): void;
}

/** An actor of Comunica: what it does is by its class. */
export interface ComunicaActor {
  readonly name?: string;
}

interface Mediator {
  readonly bus?: ActorBus;
}

interface Mediators {
  readonly mediatorOptimizeQueryOperation?: Mediator;
  readonly mediatorQueryOperation?: Mediator;
  readonly mediatorJoin?: Mediator;
}

/**
 * The buses of an engine of Comunica on which queries are made better, worked on and joined; without those that it does not
 * have where the pinned version has them.
 */
export function comunicaBuses(engine: object): {
  readonly optimizations: ActorBus | undefined;
  readonly operations: ActorBus | undefined;
  readonly joins: ActorBus | undefined;
} {
  const init = (engine as { actorInitQuery?: { mediatorQueryProcess?: Mediator } }).actorInitQuery;
  const process = first(init?.mediatorQueryProcess?.bus, 'mediatorQueryOperation');
  const operations = process?.mediatorQueryOperation?.bus;
  return {
    optimizations: process?.mediatorOptimizeQueryOperation?.bus,
    operations,
    joins: first(operations, 'mediatorJoin')?.mediatorJoin?.bus,
  };
}

function first(bus: ActorBus | undefined, mediator: keyof Mediators): Mediators | undefined {
  return ((bus?.actors ?? []) as readonly Mediators[]).find((actor) => actor[mediator]);
}

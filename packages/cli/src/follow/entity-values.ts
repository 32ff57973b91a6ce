import type { MemberChange } from '@ldes-live/client';
import { toObject } from '@ldes-live/client/json';
import { plainText } from '../terminal/plain-text.ts';
import { iriName } from './entity-name.ts';

/** The most entities whose last values are remembered. */
const LIMIT_ENTITIES = 1000;
/** How many characters of a value are shown. */
const VALUE_CHARACTERS = 40;

/** What a line says elsewhere: the name, and when which version was published. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'id type label title name identifier generatedAtTime resultTime sequence isVersionOf'.split(' '),
);

/** Remembers what entities were last seen with, to tell what changed: `speed 5.4, latitude 51.02`. */
export class EntityValues {
  readonly #last = new Map<string, Record<string, unknown>>();

  /** The values of a version that its predecessor did not have; all, where none was seen. */
  async of({ kind, member }: MemberChange): Promise<string> {
    const { entity } = member;
    const before = this.#last.get(entity);
    this.#last.delete(entity);
    if (kind === 'delete') return '';
    const object = await toObject(member);
    this.#last.set(entity, object);
    const [oldest] = this.#last.keys();
    if (this.#last.size > LIMIT_ENTITIES) this.#last.delete(oldest as string);
    const news = Object.entries(object).filter(
      ([key, value]) => !ELSEWHERE.has(key) && JSON.stringify(value) !== JSON.stringify(before?.[key]),
    );
    // Numbers are what changes most.
    const numbers = news.filter(([, value]) => typeof value === 'number');
    const others = news.filter(([, value]) => typeof value !== 'number');
    return [...numbers, ...others].map(([key, value]) => `${plainText(key)} ${shown(value)}`).join(', ');
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Of an IRI the end says more than the beginning.
  const plain = plainText(/^https?:/.test(text) ? iriName(text) : text);
  return plain.length > VALUE_CHARACTERS ? `${plain.slice(0, VALUE_CHARACTERS - 3)}...` : plain;
}

import type { Mapping } from '@ldes-live/sources';
import { stringify } from 'yaml';
import type { MappingGuess } from './guess/guess-mapping.ts';

/** What each key of a mapping says, above it. */
const MEANINGS: Readonly<Partial<Record<keyof Mapping, string>>> = {
  reads: 'How the bytes of the document are read.',
  prefixes:
    'What stands before the colon in names of properties and classes; own: moves with the stream. Use those of a known vocabulary where there is one.',
  timeZone: 'The zone of times that state none.',
  records: 'Where the records are; [*] stands for each item of a list, or each value of a mapping.',
  variables: 'Values that templates use by name.',
  subject: 'The IRI of each record: it has to stay the same for the same thing. {+stream} is the URL of the stream.',
  type: 'What a record describes.',
  versionTime: 'Of when a record is, as the source has it.',
  ignoreForChange: 'Fields that change nothing: without this, each new time would be a new version.',
  properties: 'What is said of each record: a property, and the field that its value is in.',
  leftOut: 'Fields that are not published; a field that stands nowhere here is told of.',
};

/**
 * A mapping as a file for people, each of its parts with what it says.
 *
 * @param title - what it is of, in its first line
 */
export function mappingText({ mapping, remarks }: MappingGuess, title: string): string {
  const parts = Object.entries(mapping).map(([key, value]) => {
    const meaning = MEANINGS[key as keyof Mapping];
    const lines = Array.isArray(value)
      ? [`${key}:`, ...value.map((item, index) => remarked(`  - ${flow(item)}`, remarks[`${key}.${index}`]))]
      : [remarked(`${key}: ${flow(value)}`, remarks[key])];
    return [...(meaning === undefined ? [] : [`# ${meaning}`]), ...lines].join('\n');
  });
  return `# ${title}\n# specs/mappings.md has every key; ldes-live map shows what it makes of a sample.\n\n${parts.join('\n\n')}\n`;
}

function remarked(line: string, remark: string | undefined): string {
  return remark === undefined ? line : `${line} # ${oneLine(remark)}`;
}

/** Values of a sample stand in remarks: none of them may end one. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** A value of YAML in one line. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with the properties, which take longest: one that begins last would keep one core busy and leave the other idle. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isProperty = ({ moduleId }: TestSpecification) => moduleId.includes('.prop.test.');
    return [...sorted.filter(isProperty), ...sorted.filter((file) => !isProperty(file))];
  }
}

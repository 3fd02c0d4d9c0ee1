import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes 30 seconds or more, the longest first: what begins last must not keep one worker busy alone. */
const LONG = `
  test/simulation/search/schedules.slow test/chaos/chaos test/docs/site devtools/test/explain/linear
  test/chaos/chaos-at-once devtools/test/browser/hostile devtools/test/explain/explain-failure
  test/stores/sql/orms/orms-postgres test/examples/ledger test/stores/sql/orms/contract-postgres
  test/bundlers/bundlers test/recipes/built devtools/test/explain/memory test/adapters/hosts.slow
  test/examples/orms devtools/test/browser/side test/stores/dynamodb/contract
  test/stores/sql/sqlite/sqlite-processes.slow test/stores/sql/orms/outages-postgres
  test/simulation/search/defects.slow devtools/test/browser/page test/runtimes/runtimes
  test/stores/sql/orms/orms-mysql
`
  .trim()
  .split(/\s+/)
  .map((name) => `/${name}.test.ts`);

function rankOf({ moduleId, project }: TestSpecification): number {
  const at = LONG.findIndex((name) => moduleId.endsWith(name));
  if (at >= 0) return at;
  // Its many small files keep all workers busy to the end; they share modules, so they stay together.
  return project.name === 'fast' ? LONG.length + 1 : LONG.length;
}

/** Begins with the longest files of all tiers, and ends with the shortest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const orderOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => orderOf(one) - orderOf(other) || rankOf(one) - rankOf(other));
  }
}

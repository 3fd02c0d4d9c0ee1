import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Takes about 30 seconds or more, the longest first: the file that begins last must not keep one worker busy alone. */
const LONG = `
  test/chaos/chaos-at-once test/chaos/chaos test/runtimes/runtimes test/docs/site test/stores/sql/orms/contract-postgres
  test/stores/sql/orms/orms-postgres test/stores/sql/orms/ended-mysql test/recipes/built test/package/types
  test/stores/dynamodb/contract test/bundlers/bundlers test/examples/ledger test/examples/orms
  test/stores/sql/orms/contract-mysql test/package/without-require-esm test/stores/sql/orms/neon
  test/chain/reorgs/balances.servers test/stores/sql/orms/ended-postgres test/docs/programs test/recipes/servers
  devtools/test/browser/hostile test/recipes/runtimes test/package/older-clients test/examples/servers
  test/simulation/search/schedules.slow devtools/test/explain/bounds devtools/test/explain/explain-failure
  test/adapters/hosts.slow test/simulation/search/defects.slow
  test/stores/sql/sqlite/sqlite-processes.slow
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

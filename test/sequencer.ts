import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Takes about 30 seconds or more, the longest first: the file that begins last must not keep one worker busy alone. */
const LONG = `
  test/chaos/chaos-at-once test/chaos/chaos test/docs/site test/queues/brokers test/runtimes/runtimes
  test/queues/table-queue test/queues/pg-boss/postgres test/package/templates test/examples/ledger test/recipes/built
  test/package/types test/bundlers/bundlers test/examples/orms test/queues/bullmq/redis test/recipes/runtimes
  test/stores/dynamodb/contract test/recipes/servers test/examples/servers test/stores/sql/orms/contract-postgres
  test/docs/programs test/stores/sql/orms/orms-postgres test/chain/reorgs/balances.servers test/stores/sql/kills
  devtools/test/browser/list devtools/test/browser/accessibility devtools/test/browser/controls
  test/package/older-clients devtools/test/browser/hostile test/package/without-require-esm
  test/adapters/hosts.slow test/simulation/search/defects.slow test/simulation/search/schedules.slow
  test/chain/odd-chains.property.slow test/strangers/stalled devtools/test/explain/bounds
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

/** At least 0 and less than 1: where a file is among those of its tier. */
function placeOf(file: TestSpecification, files: readonly TestSpecification[]): number {
  const tier = files.filter(({ project }) => project === file.project);
  return tier.indexOf(file) / tier.length;
}

/**
 * Begins with the longest files of all tiers, and ends with the shortest. Between them, tiers take turns: one waits for
 * servers while another computes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const keyOf = (file: TestSpecification) =>
      1000 * file.project.config.sequence.groupOrder + rankOf(file) + placeOf(file, sorted);
    const keys = new Map(sorted.map((file) => [file, keyOf(file)]));
    return sorted.sort((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
  }
}

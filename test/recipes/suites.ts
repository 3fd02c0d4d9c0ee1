import { describe, it } from 'vitest';
import { isInstalled, needsDatabase, pathsOf, type RecipeName } from '../../examples/frameworks/recipes.js';
import { hasPostgres } from '../servers/postgres.js';
import { Remote, useRecipe } from './remote.js';
import { type HostAnswer, remoteMatrix } from './remote-matrix.js';

type HostEntry = readonly [title: string, HostAnswer];

/** The suite of a recipe: it is built and started, and gets the matrix at each path where it takes deliveries. */
export function recipeSuite(name: RecipeName, ...answers: readonly (readonly HostEntry[])[]): void {
  if (!isInstalled(name) || (needsDatabase(name) && !hasPostgres)) {
    // One named skip in place of its cases; .ci/run installs what it needs, so there they run.
    describe.skip(`the recipe for ${name} (skipped: not installed; npm run example -- ${name} installs it)`, () => {
      it('passes the matrix', () => {});
    });
    return;
  }
  describe(`the recipe for ${name}`, { timeout: 30_000 }, () => {
    const running = useRecipe(name);
    pathsOf(name).forEach((path, at) => {
      describe(path, () => remoteMatrix(new Remote(running, path), new Map(answers[at] ?? [])));
    });
  });
}

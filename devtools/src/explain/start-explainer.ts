import type { Explainer } from '../confined/explainer.js';

/** A bundler must leave it alone: `event-webhooks/explain` also loads where there is no Node, and a bundle has no files beside it. */
const load = (specifier: string): Promise<unknown> => import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);

/** Nobody waits for these explanations, and the app may keep the processors busy. */
const LIMITS = { timeMs: 30_000, heapMiB: 384 };

/** The explainer of the installed package. Rejects where there is none: no Node, or the package is not found from the working folder. */
export async function startExplainer(): Promise<Pick<Explainer, 'explain'>> {
  const { createRequire } = (await load('node:module')) as typeof import('node:module');
  const require = createRequire(`${process.cwd()}/package.json`);
  const manifest = require.resolve('event-webhooks/package.json');
  // CommonJS: Jest has no import(), and Node before 20.19 no require() of ES modules.
  const program = manifest.replace(/package\.json$/, 'dist/cli/explainer.cjs');
  const { createExplainer } = require(program) as typeof import('../confined/explainer.js');
  return createExplainer({ limits: LIMITS, holdsProcess: false });
}

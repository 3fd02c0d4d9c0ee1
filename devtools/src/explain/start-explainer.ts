import type { Explainer } from '../confined/explainer.js';

/**
 * Bundlers must not resolve this import: `event-webhooks/explain` also loads without Node, and a bundle lacks the
 * thread's file.
 */
const load = (specifier: string): Promise<unknown> => import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);

/** Generous time limit: these explanations are not urgent, and the app may keep the processors busy. */
const LIMITS = { timeMs: 30_000, heapMiB: 384 };

/**
 * The explainer of the installed package. Rejects without Node, or if the package is not found from the working
 * directory.
 */
export async function startExplainer(): Promise<Pick<Explainer, 'explain'>> {
  const { createRequire } = (await load('node:module')) as typeof import('node:module');
  const require = createRequire(`${process.cwd()}/package.json`);
  const manifest = require.resolve('event-webhooks/package.json');
  // CommonJS, because Jest lacks import(), and Node before 20.19 cannot require() ES modules.
  const program = manifest.replace(/package\.json$/, 'dist/cli/explainer.cjs');
  const { createExplainer } = require(program) as typeof import('../confined/explainer.js');
  return createExplainer({ limits: LIMITS, holdsProcess: false });
}

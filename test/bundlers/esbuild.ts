import { type BuildOptions, build } from 'esbuild';
import { type Bundling, GLOBAL } from './bundling.js';

const bundling = (title: string, format: Bundling['format'], options: BuildOptions): Bundling => ({
  title,
  format,
  async bundle(entry) {
    const { outputFiles, warnings } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      minify: true,
      format: format === 'script' ? 'iife' : format === 'mjs' ? 'esm' : 'cjs',
      globalName: GLOBAL,
      logLevel: 'silent',
      ...options,
    });
    return { code: outputFiles?.[0]?.text ?? '', warnings: warnings.map(({ text }) => text) };
  },
});

/** esbuild, with the conditions that the tools of each runtime give it. */
export const esbuild: readonly Bundling[] = [
  bundling('platform node, as ESM', 'mjs', { platform: 'node' }),
  bundling('platform node, as CommonJS', 'cjs', { platform: 'node' }),
  bundling('platform browser', 'script', { platform: 'browser' }),
  bundling('platform neutral', 'script', { platform: 'neutral' }),
  bundling('the conditions of workerd', 'script', {
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
  }),
  bundling('the conditions of edge-light', 'script', { platform: 'neutral', conditions: ['edge-light', 'worker'] }),
];

import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Bundling, GLOBAL, load } from './bundling.js';

/** What is used of webpack, which has its types only where it is installed. */
interface Webpack {
  readonly default: (config: object, done: (error: Error | null, stats?: Stats) => void) => void;
}

interface Stats {
  toJson(options: object): Record<'errors' | 'warnings', { message: string }[]>;
}

const bundling = (target: string, entryType: 'mjs' | 'cjs'): Bundling => ({
  title: `target ${target}, ${entryType === 'mjs' ? 'an ESM' : 'a CommonJS'} entry`,
  format: target === 'node' ? 'cjs' : 'script',
  ...(entryType === 'cjs' && { entry: 'cjs' }),
  async bundle(entry) {
    const { default: webpack } = await load<Webpack>('webpack');
    const path = join(dirname(entry), 'webpack-output');
    const stats = await new Promise<Stats | undefined>((resolve, reject) => {
      const library = { name: GLOBAL, type: target === 'node' ? 'commonjs2' : 'var' };
      const output = { path, filename: 'main.js', library: target === 'node' ? { type: 'commonjs2' } : library };
      const config = { context: dirname(entry), entry, mode: 'production', target, output, performance: false };
      webpack(config, (error, done) => (error ? reject(error) : resolve(done)));
    });
    const { errors, warnings } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
    if (errors?.length) throw new Error(errors.map(({ message }) => message).join('\n'));
    const code = await readFile(join(path, 'main.js'), 'utf8');
    await rm(path, { recursive: true });
    return { code, warnings: warnings?.map(({ message }) => message) ?? [] };
  },
});

/** webpack, for its targets. */
export const webpack: readonly Bundling[] = ['node', 'web', 'webworker'].flatMap((target) => [
  bundling(target, 'mjs'),
  bundling(target, 'cjs'),
]);

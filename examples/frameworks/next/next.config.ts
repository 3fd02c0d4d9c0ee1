import { dirname } from 'node:path';
import type { NextConfig } from 'next';

// Packages are found in the folder above this one, where the recipes share them. An app of its own needs none of this.
const root = dirname(import.meta.dirname);

export default {
  turbopack: { root },
  outputFileTracingRoot: root,
  // Node would not find the packed library, which is a link here.
  bundlePagesRouterDependencies: true,
} satisfies NextConfig;

import { defineNitroConfig } from 'nitro/config';

export default defineNitroConfig({ preset: 'node-server', compatibilityDate: '2026-01-01' });

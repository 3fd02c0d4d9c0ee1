import { defineConfig } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { diagrams } from './diagrams.mjs';
import { sidebar } from './sidebar.mjs';
import { slugify } from './slugify.mjs';

export default defineConfig({
  title: 'event-webhook-receiver',
  description: 'Receive signed webhooks of on-chain contract events in TypeScript, each event exactly once.',
  lang: 'en',
  cleanUrls: true,
  srcExclude: ['SKILL.md'],
  // A folded section cannot be opened without JavaScript.
  head: [['noscript', {}, '<style>.VPSidebarItem.collapsed .items { display: block !important }</style>']],
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start/five-minutes' },
      { text: 'Hosts', link: '/hosts/' },
      { text: 'Stores', link: '/stores/' },
      { text: 'Errors', link: '/errors' },
      { text: 'API', link: '/reference/api/' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
  markdown: { config: diagrams, anchor: { slugify } },
  vite: { plugins: [llms()] },
});

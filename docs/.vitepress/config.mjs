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
  // The theme adds these classes when it has been loaded, which would move the bar.
  transformHtml: (html, _, { page }) =>
    page === '404.md' ? html : html.replace('class="VPNavBar"', 'class="VPNavBar has-sidebar top"'),
  markdown: {
    config: diagrams,
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { plugins: [llms()] },
});

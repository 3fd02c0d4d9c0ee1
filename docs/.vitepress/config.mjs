import { defineConfig } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { diagrams } from './diagrams.mjs';
import { names } from './names.mjs';
import { sidebar } from './sidebar.mjs';
import { slugify } from './slugify.mjs';

/** Of the reference of the API, search finds the names and what they do; not each "Parameters" and "Returns". */
function searchable(source, env, md) {
  const html = md.render(source, env);
  return env.relativePath.startsWith('reference/api/') ? html.replace(/<h[4-6][\s\S]*?(?=<h[1-3]|$)/g, '') : html;
}

/** Where the site is published, such as https://webhooks.example: links to pictures have to be absolute. */
const origin = process.env.SITE_ORIGIN ?? '';

export default defineConfig({
  title: 'event-webhook-receiver',
  description: 'Receive signed webhooks of on-chain contract events in TypeScript, each event exactly once.',
  lang: 'en',
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:image', content: `${origin}/home.png` }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  transformHead: ({ title, description }) => [
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
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
    search: {
      provider: 'local',
      options: { _render: searchable, miniSearch: { searchOptions: { boost: { title: 8, titles: 4 } } } },
    },
  },
  // The theme adds these classes when it has been loaded, which would move the bar.
  transformHtml: (html, _, { page }) =>
    page === '404.md' ? html : html.replace('class="VPNavBar"', 'class="VPNavBar has-sidebar top"'),
  markdown: {
    config(md) {
      diagrams(md);
      names(md);
    },
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The reference of the API is three quarters of all text: too much to read whole. llms.txt lists its pages.
  vite: { plugins: [llms({ ignoreFilesPerOutput: { llmsFullTxt: ['reference/api/**'] } })] },
});

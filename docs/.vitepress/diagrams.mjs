import { renderMermaidSVG } from 'beautiful-mermaid';

const COLORS = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)', transparent: true };

/** Renders ```mermaid fences to SVG during the build. The rest of a fence's first line is its alternative text. */
export function diagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (!info.startsWith('mermaid')) return fence(tokens, index, ...rest);
    const text = info.slice('mermaid'.length).trim();
    if (text === '') throw new Error(`A diagram has no alternative text after "mermaid":\n${content}`);
    // Without its font from another host: pages load nothing from strangers.
    const svg = renderMermaidSVG(content, COLORS)
      .replace(/@import url\([^)]*\);\s*/, '')
      .replace('<svg ', `<svg role="img" aria-label="${md.utils.escapeHtml(text)}" `);
    // As a value, because the browser reads a <style> inside of SVG otherwise than Vue's compiler does.
    return `<div class="diagram" tabindex="0" v-html="${md.utils.escapeHtml(JSON.stringify(svg))}"></div>\n`;
  };
}

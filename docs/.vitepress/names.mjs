/** Inline code: each word that a line could end within, such as at a hyphen or slash, is an element, which tables keep whole. */
export function names(md) {
  const { code_inline: render } = md.renderer.rules;
  md.renderer.rules.code_inline = (...given) =>
    render(...given).replace(/(?<=>)[^<>]+(?=<\/code>$)/, (text) => text.replace(/\S*[-/?&]\S*/g, '<span>$&</span>'));
}

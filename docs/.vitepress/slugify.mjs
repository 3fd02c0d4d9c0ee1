/** A heading's anchor, as GitHub makes it: a page has the same anchors there and on the site. */
export const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
